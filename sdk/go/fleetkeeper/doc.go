// fleetkeeper rents GPU machines from a GPU deployment service and keeps them running: the GPUs you asked for, and nothing you did not ask to pay for.
package fleetkeeper
