// The GPUs you asked for, and nothing you did not ask to pay for.
package fleetkeeper
