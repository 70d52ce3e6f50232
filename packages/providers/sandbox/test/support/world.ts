import { parse } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { type ControlRoute, type Payer, SandboxCustodian, SandboxPrices, SandboxStore } from "@bursar/sandbox"
import { CustodianWorld } from "@bursar/testkit/suites/custodian/CustodianWorld"
import { Effect, Layer, Result, Schema } from "effect"

/** A payer that only remembers. */
export const fakePayer = () => {
  const paid: Array<Parameters<Payer["pay"]>[0]> = []
  const confirmed = new Set<string>()
  const payer: Payer = {
    pay: (payment) =>
      Effect.sync(() => {
        paid.push(payment)
        return { txHash: `tx-${paid.length}` }
      }),
    confirmed: (_, txHash) => Effect.succeed(confirmed.has(txHash))
  }
  const confirmAll = Effect.sync(() => paid.forEach((_, index) => confirmed.add(`tx-${index + 1}`)))
  return { payer, paid, confirmAll }
}

/** Calls a control past HTTP. */
export const press = (routes: ReadonlyArray<ControlRoute>, name: string, body: unknown) => {
  const route = routes.find(({ method, path }) => `${method} ${path}` === name)
  return route === undefined ? Effect.die(new Error(`no ${name}`)) : route.handle({ path: {}, body })
}

const decodeBalances = Schema.decodeUnknownSync(
  Schema.Struct({ balances: Schema.Record(Schema.String, Schema.String) })
)

const outcomes = {
  settle: "settle",
  fail: "fail",
  silent_then_settle: "timeout_then_settle",
  silent_then_fail: "timeout_then_fail"
} as const

/** The sandbox as the contract suite of custodians sees it. */
export const layerWorld = Layer.effect(
  CustodianWorld,
  Effect.gen(function* () {
    const store = SandboxStore.memory()
    const { prices } = yield* SandboxPrices.make({ store })
    const { confirmAll, paid, payer } = fakePayer()
    const { custodian, routes } = yield* SandboxCustodian.make({ store, prices, payer })
    return CustodianWorld.of({
      custodian,
      another: Effect.orDie(
        Effect.map(SandboxCustodian.make({ store, prices, payer }), ({ custodian: another }) => another)
      ),
      withdrawal: {
        currency: "USDT_BSC",
        units: 12_345_678_901_234_567_891n,
        network: "bsc",
        address: "0x00000000000000000000000000000000000000aa",
        memo: null
      },
      memo: "4711",
      received: Effect.map(custodian.withdrawalFee("USDT_BSC", "bsc"), (fee) => {
        const last = paid.at(-1)
        if (last === undefined) throw new Error("nothing was paid")
        const { memo, network, to: address, units } = last
        return { units: units + (fee?.units ?? 0n), network, address, memo }
      }),
      conversions: [
        { currency: "BTC", units: 12_345_679n, to: "USDT_TRON" },
        { currency: "EUR", units: 12_345n, to: "ETH" }
      ],
      next: (operation, outcome) =>
        outcome in outcomes
          ? Effect.orDie(
              // the suite is told that the world has no others
              press(routes, "POST /custodian/next", { operation, outcome: outcomes[outcome as keyof typeof outcomes] })
            )
          : Effect.die(new Error(`the sandbox has no ${outcome}`)),
      finish: confirmAll,
      taken: (kind) =>
        kind === "withdrawal"
          ? Effect.sync(() => paid.length)
          : Effect.orDie(
              Effect.map(
                press(routes, "GET /custodian", {}),
                (state) => JSON.stringify(state).split(`"kind":"Conversion"`).length - 1
              )
            ),
      held: (code) =>
        Effect.gen(function* () {
          const state = decodeBalances(yield* press(routes, "GET /custodian", {}))
          const currency = defaultCurrencies.byCode(code)
          const text = state.balances[code] ?? "0"
          // an amount of nothing is none
          if (currency === undefined || Number(text) === 0) return 0n
          return Result.getOrThrow(parse(text, currency)).units
        }).pipe(Effect.orDie),
      silence: Effect.die(new Error("the sandbox is never silent")),
      errors: Effect.die(new Error("the sandbox never errs")),
      heal: Effect.void
    })
  })
)
