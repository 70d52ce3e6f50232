import { uuidV7 } from "@bursar/core/engine/Ids"
import { putRecord } from "@bursar/core/engine/Records"
import * as Writer from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { PastObservation, PlaceObservation } from "@bursar/core/reconciliation/PlaceObservation"
import { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { layerOver } from "@bursar/memory"
import { writing } from "@bursar/testkit/fixtures/commands"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { hashToken } from "../src/keys/operatorTokens.ts"
import { Operator } from "./support/Operator.ts"
import type { Answer } from "./support/Partner.ts"

const tokenOf = (name: string) => `${name}-${"0123456789abcdef".repeat(2)}`

const operators = (["viewer", "operator", "approver"] as const).map((role) => ({
  name: role,
  role,
  tokenHash: hashToken(tokenOf(role)),
  expiresAt: null
}))

const test = <A, E>(name: string, effect: Effect.Effect<A, E, Operator>) =>
  it.live(name, () => Effect.provide(effect, Operator.layerWith({ operators })))

const codeOf = ({ body, status }: Answer) => [status, body?.error?.code]

const at = Date.UTC(2026, 10, 23, 12)
const idOf = (ms: number) => uuidV7(ms, crypto.getRandomValues(new Uint8Array(10)))

const broken: ReconciliationBreak = {
  id: idOf(at),
  place: "chain:ethereum:payouts",
  currency: "USDT_ETH",
  units: 250_000_000n,
  since: at,
  sinceBlock: 21_483_992,
  candidates: [{ kind: "operation", id: idOf(at), tenantId: idOf(at), at: at - 1, reason: "the same amount" }],
  about: { kind: "statement_line", id: "L1" },
  explanation: null,
  alarmedAt: at + 900_000,
  toldAt: null,
  closedAt: null
}
const closed: ReconciliationBreak = {
  ...broken,
  id: idOf(at),
  place: "bank:bridge",
  currency: "EUR",
  units: -1n,
  since: at - 60_000,
  sinceBlock: null,
  candidates: [],
  about: null,
  alarmedAt: null,
  closedAt: at
}

const wallet: PlaceObservation = {
  place: broken.place,
  kind: "payout_wallets",
  currency: "USDT_ETH",
  observation: "observed",
  ledger: 50_000_000_000n,
  observed: 49_870_000_000n,
  inFlight: -120_000_000n,
  inFlightLeast: -120_000_000n,
  inFlightMost: 0n,
  difference: 250_000_000n,
  block: { number: 21_483_992, hash: "0xb" },
  at
}
const bank: PlaceObservation = {
  ...wallet,
  place: "bank:bridge",
  kind: "bank",
  currency: "EUR",
  observation: "unsupported",
  observed: null,
  inFlight: 0n,
  inFlightLeast: 0n,
  difference: null,
  block: null
}

/** What a worker has found, with a token for each role. */
const setUp = Effect.gen(function* () {
  const { operate, state } = yield* Operator
  yield* Effect.gen(function* () {
    const writer = yield* Writer.Writer
    yield* writer.submit(
      fleetTenantId,
      writing((view) => [
        putRecord(PlaceObservation, wallet),
        putRecord(PlaceObservation, bank),
        putRecord(PastObservation, { ...wallet, id: view.newId(), at: at - 1, difference: 0n }),
        putRecord(PastObservation, { ...wallet, id: view.newId() }),
        putRecord(ReconciliationBreak, broken),
        putRecord(ReconciliationBreak, closed)
      ])
    )
  }).pipe(Effect.provide(Writer.layer), Effect.provide(layerOver(state)))
  return (role: string, method: "GET" | "POST", path: string, body?: unknown) =>
    operate(method, `/operator/v1/reconciliation${path}`, {
      key: tokenOf(role),
      ...(body === undefined ? {} : { body })
    })
})

test(
  "an operator sees each place with what is there, and the breaks that are open",
  Effect.gen(function* () {
    const as = yield* setUp
    const { body } = yield* as("viewer", "GET", "")
    const [one, ...others] = body.breaks
    assert.deepStrictEqual(others, [])
    const { age_seconds, ...shown } = one
    assert.isAbove(age_seconds, 0)
    assert.deepStrictEqual(shown, {
      id: broken.id,
      place: "chain:ethereum:payouts",
      currency: "USDT_ETH",
      difference: { amount: "250", currency: "USDT_ETH" },
      since: new Date(at).toISOString(),
      since_block: 21_483_992,
      state: "open",
      alarmed_at: new Date(at + 900_000).toISOString(),
      explained_by: null,
      note: null,
      explained_at: null,
      closed_at: null,
      candidates: [
        {
          kind: "operation",
          id: broken.candidates[0]?.id,
          tenant_id: broken.candidates[0]?.tenantId,
          at: new Date(at - 1).toISOString(),
          reason: "the same amount"
        }
      ],
      about: { kind: "statement_line", id: "L1" }
    })
    const places = new Map(body.places.map((place: { readonly place: string }) => [place.place, place]))
    const usdt = (amount: string) => ({ amount, currency: "USDT_ETH" })
    assert.deepStrictEqual(places.get("chain:ethereum:payouts"), {
      place: "chain:ethereum:payouts",
      kind: "payout_wallets",
      currency: "USDT_ETH",
      observation: "observed",
      ledger: usdt("50000"),
      in_flight: usdt("-120"),
      in_flight_least: usdt("-120"),
      in_flight_most: usdt("0"),
      observed: usdt("49870"),
      difference: usdt("250"),
      block_number: 21_483_992,
      block_hash: "0xb",
      observed_at: new Date(at).toISOString()
    })
    assert.deepInclude(places.get("bank:bridge"), {
      observation: "unsupported",
      observed: null,
      difference: null,
      block_number: null
    })
  })
)

test(
  "breaks of the past are listed, too, and each is shown by its id",
  Effect.gen(function* () {
    const as = yield* setUp
    const ids = (body: Answer["body"]) => body.breaks.map(({ id }: { readonly id: string }) => id)
    assert.deepStrictEqual(ids((yield* as("viewer", "GET", "/breaks")).body), [broken.id, closed.id])
    assert.deepStrictEqual(ids((yield* as("viewer", "GET", "/breaks?limit=1")).body), [broken.id])
    assert.deepStrictEqual(codeOf(yield* as("viewer", "GET", "/breaks?limit=0")), [422, "limit_out_of_range"])
    const one = yield* as("viewer", "GET", `/breaks/${closed.id}`)
    assert.deepInclude(one.body, { state: "closed", age_seconds: 60, closed_at: new Date(at).toISOString() })
    assert.deepStrictEqual(codeOf(yield* as("viewer", "GET", `/breaks/${idOf(1)}`)), [404, "not_found"])
    assert.include([404, 422], (yield* as("viewer", "GET", "/breaks/no-id")).status)
  })
)

test(
  "the observations of a day are listed, newest first",
  Effect.gen(function* () {
    const as = yield* setUp
    const query = "place=chain:ethereum:payouts&currency=USDT_ETH"
    const { body } = yield* as("viewer", "GET", `/observations?${query}&day=2026-11-23`)
    assert.deepStrictEqual(
      body.observations.map((one: { readonly observed_at: string }) => one.observed_at),
      [at, at - 1].map((ms) => new Date(ms).toISOString())
    )
    const empty = yield* as("viewer", "GET", `/observations?${query}&day=2026-11-25`)
    assert.deepStrictEqual(empty.body, { observations: [] })
    for (const wrong of ["day=2026-13-01", "day=yesterday", ""])
      assert.strictEqual((yield* as("viewer", "GET", `/observations?${query}&${wrong}`)).status, 422, wrong)
  })
)

test(
  "an approver explains a break with a note; nobody below may, and none that is closed or not there",
  Effect.gen(function* () {
    const as = yield* setUp
    const note = { note: "The exchange took a listing fee." }
    const path = `/breaks/${broken.id}/explain`
    for (const role of ["viewer", "operator"])
      assert.deepStrictEqual(codeOf(yield* as(role, "POST", path, note)), [403, "scope_missing"])
    for (const wrong of [{}, { note: "" }, { ...note, by: "bob" }])
      assert.strictEqual((yield* as("approver", "POST", path, wrong)).status, 422, JSON.stringify(wrong))
    assert.strictEqual((yield* as("viewer", "GET", `/breaks/${broken.id}`)).body.state, "open")
    const explained = yield* as("approver", "POST", path, note)
    assert.deepInclude(explained.body, { state: "explained", explained_by: "approver", ...note })
    const [open, ...others] = (yield* as("viewer", "GET", "")).body.breaks
    assert.deepStrictEqual(others, [])
    assert.deepInclude(open, { id: broken.id, state: "explained", explained_by: "approver", ...note })
    assert.deepStrictEqual(codeOf(yield* as("approver", "POST", `/breaks/${closed.id}/explain`, note)), [
      409,
      "state_conflict"
    ])
    assert.deepStrictEqual(codeOf(yield* as("approver", "POST", `/breaks/${idOf(1)}/explain`, note)), [
      404,
      "not_found"
    ])
  })
)

test(
  "Prometheus reads at the operator port what workers of other processes have found",
  Effect.gen(function* () {
    yield* setUp
    const { operatorUrl } = yield* Operator
    const text = yield* Effect.promise(async () => (await fetch(`${operatorUrl}/metrics`)).text())
    const valueOf = (name: string, place: string, currency: string) => {
      const line = text
        .split("\n")
        .find((one) => one.startsWith(`bursar_${name}{`) && one.includes(`"${place}"`) && one.includes(`"${currency}"`))
      return line === undefined ? undefined : Number(line.split(" ").at(-1))
    }
    assert.strictEqual(valueOf("reconciliation_difference", broken.place, "USDT_ETH"), 250)
    assert.isAbove(valueOf("reconciliation_oldest_break_seconds", broken.place, "USDT_ETH") ?? 0, 0)
    assert.strictEqual(valueOf("reconciliation_oldest_break_seconds", "bank:bridge", "EUR"), 0)
    assert.isUndefined(valueOf("reconciliation_difference", "bank:bridge", "EUR"))
    assert.strictEqual(valueOf("reconciliation_last_observation", broken.place, "USDT_ETH"), at / 1_000)
    // it tells no balance: nothing was compared
    assert.isUndefined(valueOf("reconciliation_last_observation", "bank:bridge", "EUR"))
  })
)

test(
  "shows what is of a currency that the server lacks in base units, beside all else",
  Effect.gen(function* () {
    const as = yield* setUp
    const { operatorUrl, state } = yield* Operator
    const lost = { currency: "OLDT_ORCHARD" }
    yield* Effect.gen(function* () {
      const writer = yield* Writer.Writer
      yield* writer.submit(
        fleetTenantId,
        writing(() => [
          putRecord(PlaceObservation, { ...wallet, ...lost }),
          putRecord(ReconciliationBreak, { ...broken, ...lost, id: idOf(at + 1) })
        ])
      )
    }).pipe(Effect.provide(Writer.layer), Effect.provide(layerOver(state)))
    const currenciesOf = (all: ReadonlyArray<{ readonly currency: string }>) => all.map(({ currency }) => currency)
    const all = yield* as("viewer", "GET", "")
    assert.sameMembers(currenciesOf(all.body.places), ["USDT_ETH", "EUR", lost.currency])
    assert.sameMembers(currenciesOf(all.body.breaks), ["USDT_ETH", lost.currency])
    const breaks = yield* as("viewer", "GET", "/breaks")
    assert.sameMembers(currenciesOf(breaks.body.breaks), ["USDT_ETH", "EUR", lost.currency])
    const differences = breaks.body.breaks.map(
      ({ difference }: { readonly difference: { readonly currency: string } }) => difference.currency
    )
    assert.include(differences, `base units of ${lost.currency}`)
    const metrics = yield* Effect.promise(() => fetch(`${operatorUrl}/metrics`))
    assert.strictEqual(metrics.status, 200)
    const lines = (yield* Effect.promise(() => metrics.text()))
      .split("\n")
      .filter((line) => line.includes("OLDT_ORCHARD"))
    // that it is watched can be said, an amount of it cannot
    assert.isNotEmpty(lines)
    assert.isEmpty(lines.filter((line) => line.startsWith("bursar_reconciliation_difference{")))
  })
)
