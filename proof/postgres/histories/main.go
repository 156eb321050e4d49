// Reads a history of decisions on a ledger, a JSON line each, and says whether one order explains all of them: each saw all that was
// stored before it began, and none that came after it ended. Porcupine does the search. Exit code 1: there is none.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"

	"github.com/anishathalye/porcupine"
)

type input struct {
	// add: Number is added to the sum, and the new sum is the answer. read: the sum. lost: the newest decisions are not there any more.
	Kind   string `json:"kind"`
	Number int    `json:"number"`
}

type line struct {
	input
	Process int   `json:"process"`
	Call    int64 `json:"call"`
	Return  int64 `json:"return"`
	// Nil: nobody knows whether it was stored.
	Value *int `json:"value"`
}

// What is stored, as the sums after each decision.
type state = []int

func next(sums state, in input, value *int) []any {
	sum := sums[len(sums)-1]
	switch in.Kind {
	case "add":
		if value != nil && *value != sum+in.Number {
			return nil
		}
		return []any{append(append(state{}, sums...), sum+in.Number)}
	case "read":
		if value != nil && *value != sum {
			return nil
		}
		return []any{sums}
	default:
		shorter := []any{}
		for length := len(sums); length > 0; length-- {
			shorter = append(shorter, append(state{}, sums[:length]...))
		}
		return shorter
	}
}

var model = (&porcupine.NondeterministicModel{
	Init: func() []any { return []any{state{0}} },
	Step: func(from, in, out any) []any { return next(from.(state), in.(input), out.(*int)) },
	Equal: func(one, other any) bool {
		return fmt.Sprint(one) == fmt.Sprint(other)
	},
}).ToModel()

func main() {
	operations := []porcupine.Operation{}
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
		operations = append(operations, porcupine.Operation{
			ClientId: each.Process, Input: each.input, Call: each.Call, Output: each.Value, Return: each.Return,
		})
	}
	if !porcupine.CheckOperations(model, operations) {
		fmt.Printf("no order explains these %d decisions\n", len(operations))
		os.Exit(1)
	}
	fmt.Printf("one order explains these %d decisions\n", len(operations))
}
