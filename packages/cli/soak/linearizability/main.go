// Asks Porcupine whether there is an order of what partners did and saw that explains it all, and keeps the order of what did not
// overlap. Reads a history as JSON from its input; names on its output each part of it that no order explains.
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/anishathalye/porcupine"
)

// How long a part of a history may be searched.
const patience = 5 * time.Minute

// A moment is in milliseconds. What has not ended may take effect at any time after it began.
type span struct {
	From int64  `json:"from"`
	To   *int64 `json:"to"`
}

type history struct {
	// What was available before anything was asked for, in base units.
	Opening int64 `json:"opening,string"`
	Spent   []struct {
		span
		Units int64 `json:"units,string"`
	} `json:"spent"`
	Readings []struct {
		span
		Available int64 `json:"available,string"`
	} `json:"readings"`
	// Requests by idempotency key. One without an answer may have done its work or not.
	Attempts []struct {
		span
		Key      string  `json:"key"`
		Answer   *string `json:"answer"`
		Replayed bool    `json:"replayed"`
	} `json:"attempts"`
}

func (s span) operation(client int, input, output any) porcupine.Operation {
	end := int64(math.MaxInt64)
	if s.To != nil {
		end = *s.To
	}
	return porcupine.Operation{ClientId: client, Input: input, Call: s.From, Output: output, Return: end}
}

type spend struct{ units int64 }
type read struct{}

// What is available: payments lower it, readings show it.
func available(opening int64) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return opening },
		Step: func(state, input, output any) (bool, any) {
			left := state.(int64)
			if paid, ok := input.(spend); ok {
				return left >= paid.units, left - paid.units
			}
			return output.(int64) == left, left
		},
	}
}

// What an idempotency key has been answered with: nothing yet, something that nobody has seen, or a text.
type answered struct {
	done, seen bool
	text       string
}

type answer struct {
	text     *string
	replayed bool
}

// Of the requests of a key one does the work, and all are answered alike.
func idempotent() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return answered{} },
		Step: func(state, _, output any) (bool, any) {
			before, told := state.(answered), output.(answer)
			switch {
			case told.text == nil:
				before.done = true
				return true, before
			case told.replayed != before.done || (before.seen && before.text != *told.text):
				return false, before
			default:
				return true, answered{done: true, seen: true, text: *told.text}
			}
		},
	}
}

func judge(what string, model porcupine.Model, operations []porcupine.Operation) {
	if found := porcupine.CheckOperationsTimeout(model, operations, patience); found != porcupine.Ok {
		fmt.Printf("no order explains %s (%s)\n", what, found)
	}
}

func main() {
	var given history
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(64)
	}
	var money []porcupine.Operation
	for index, one := range given.Spent {
		money = append(money, one.operation(index, spend{one.Units}, nil))
	}
	for index, one := range given.Readings {
		money = append(money, one.operation(len(given.Spent)+index, read{}, one.Available))
	}
	judge("what was available", available(given.Opening), money)

	keys := map[string][]porcupine.Operation{}
	unanswered := map[string]porcupine.Operation{}
	for index, one := range given.Attempts {
		operation := one.operation(index, nil, answer{one.Answer, one.Replayed})
		if one.Answer == nil {
			operation.Return = math.MaxInt64
			if first, ok := unanswered[one.Key]; !ok || operation.Call < first.Call {
				unanswered[one.Key] = operation
			}
			continue
		}
		keys[one.Key] = append(keys[one.Key], operation)
	}
	// Requests without an answer all do the same, at any time after they began. So the one that began first can do whatever another could, and
	// all others can come after everything: they would only double what is searched, each of them.
	for key, first := range unanswered {
		keys[key] = append(keys[key], first)
	}
	for key, operations := range keys {
		judge("the answers of "+key, idempotent(), operations)
	}
}
