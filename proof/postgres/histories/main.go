// Reads a history of decisions on a ledger, a JSON line each, and says whether one order explains all of them: each saw all that was
// stored before it began, and none that came after it ended, and by the ledger's clock none is earlier than one before it. Porcupine does the search. Exit code 1: there is none.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/anishathalye/porcupine"
)

type input struct {
	// add: Number is added to the sum, and the new sum is the answer. read: the sum. lost: the newest decisions are not there any more.
	// unheard: the same add as one that was under way when they were lost. It may have been stored before, its answer lost, and be among
	// them: then it was made anew.
	Kind   string `json:"kind"`
	Number int    `json:"number"`
	// When it was decided, at least and at most, on the ledger's clock. Later epochs have greater numbers. 0: not known.
	Epoch int     `json:"epoch"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

type line struct {
	input
	Process int   `json:"process"`
	Call    int64 `json:"call"`
	Return  int64 `json:"return"`
	// Nil: nobody knows whether it was stored.
	Value *int `json:"value"`
}

type state struct {
	// What is stored, as the sums after each decision.
	sums []int
	// The newest moment at which one of them was surely not made yet.
	epoch int
	low   float64
	// How many of them are before the first one that nobody heard of. -1: there is none.
	heard int
	// The newest decisions were lost.
	isCut bool
}

func next(from state, in input, value *int) []any {
	sums := from.sums
	sum := sums[len(sums)-1]
	switch in.Kind {
	case "add":
		if value != nil && *value != sum+in.Number {
			return nil
		}
		to := from
		to.sums = append(append([]int{}, sums...), sum+in.Number)
		if in.Epoch != 0 {
			if in.Epoch < from.epoch || in.Epoch == from.epoch && in.High < from.low {
				return nil
			}
			if in.Epoch > from.epoch || in.Low > from.low {
				to.epoch, to.low = in.Epoch, in.Low
			}
		}
		return []any{to}
	case "read":
		if value != nil && *value != sum {
			return nil
		}
		return []any{from}
	case "unheard":
		if from.isCut {
			return []any{from}
		}
		to := from
		to.sums = append(append([]int{}, sums...), sum+in.Number)
		if from.heard < 0 {
			to.heard = len(sums)
		}
		return []any{from, to}
	default:
		shorter := []any{}
		for length := len(sums); length > 0; length-- {
			// What was made anew is stored once only if this is lost.
			if from.heard < 0 || length <= from.heard {
				to := from
				to.sums, to.heard, to.isCut = append([]int{}, sums[:length]...), -1, true
				shorter = append(shorter, to)
			}
		}
		return shorter
	}
}

var model = (&porcupine.NondeterministicModel{
	Init: func() []any { return []any{state{sums: []int{0}, heard: -1}} },
	Step: func(from, in, out any) []any { return next(from.(state), in.(input), out.(*int)) },
	Equal: func(one, other any) bool {
		return fmt.Sprint(one) == fmt.Sprint(other)
	},
}).ToModel()

func unheard(operations []porcupine.Operation, lost porcupine.Operation) []porcupine.Operation {
	found := []porcupine.Operation{}
	for _, each := range operations {
		in := each.Input.(input)
		if in.Kind == "add" && each.Call < lost.Return && each.Return > lost.Call {
			in.Kind = "unheard"
			each.Input, each.Output, each.Return = in, (*int)(nil), lost.Return
			found = append(found, each)
		}
	}
	return found
}

func main() {
	operations := []porcupine.Operation{}
	var lost *porcupine.Operation
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var each line
		if err := json.Unmarshal(lines.Bytes(), &each); err != nil {
			panic(err)
		}
		if each.Value == nil && each.Kind == "add" {
			// It may be stored at any later moment, or never.
			each.Return = math.MaxInt64
		}
		if each.Value == nil && each.Kind == "read" {
			continue
		}
		operations = append(operations, porcupine.Operation{
			ClientId: each.Process, Input: each.input, Call: each.Call, Output: each.Value, Return: each.Return,
		})
		if each.Kind == "lost" {
			lost = &operations[len(operations)-1]
		}
	}
	if lost != nil {
		operations = append(operations, unheard(operations, *lost)...)
	}
	switch porcupine.CheckOperationsTimeout(model, operations, 2*time.Minute) {
	case porcupine.Illegal:
		fmt.Printf("no order explains these %d decisions\n", len(operations))
		os.Exit(1)
	case porcupine.Unknown:
		// Each decision of which nobody knows whether it was stored doubles the search.
		fmt.Printf("these %d decisions were not judged in time\n", len(operations))
		os.Exit(2)
	}
	fmt.Printf("one order explains these %d decisions\n", len(operations))
}
