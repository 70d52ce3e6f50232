import { Quarantine } from "@bursar/core/port/Quarantine"
import { layer } from "@bursar/memory"
import { failuresOf } from "@bursar/testkit/suites/failuresOf"
import { quarantineTests } from "@bursar/testkit/suites/quarantineSuite"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

const wrongs: Readonly<Record<string, (right: Quarantine["Service"]) => Partial<Quarantine["Service"]>>> = {
  "keeps orders by the number of their block alone": (right) => ({
    order: (order) =>
      Effect.gen(function* () {
        for (const network of ["base", "bsc"] as const)
          for (const one of network === order.network ? [] : yield* right.orders(network))
            if (one.number === order.number) yield* right.withdraw(one)
        yield* right.order(order)
      })
  }),
  "lists the entries of every network": (right) => ({
    list: (filter) => right.list({ ...filter, network: null })
  }),
  "ends what another network calls the same": (right) => ({
    end: (which, end) =>
      Effect.tap(right.end(which, end), () =>
        right.end({ ...which, network: which.network === "base" ? "bsc" : "base" }, end)
      )
  })
}

it.live.each(Object.entries(wrongs))("a quarantine that %s is refused", ([, change]) =>
  Effect.gen(function* () {
    const wrong = Layer.effect(
      Quarantine,
      Effect.map(Quarantine, (right) => Quarantine.of({ ...right, ...change(right) }))
    ).pipe(Layer.provideMerge(layer))
    assert.deepStrictEqual(yield* failuresOf(Layer.fresh(wrong), quarantineTests), [
      "what is of one network, block or transaction is of no other that is called the same"
    ])
  })
)
