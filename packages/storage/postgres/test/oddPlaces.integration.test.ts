import { type AnyRecord, putRecord } from "@bursar/core/engine/Records"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { of } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import { PlaceObservation } from "@bursar/core/reconciliation/PlaceObservation"
import { Positions } from "@bursar/core/reconciliation/Positions"
import { Statement } from "@bursar/core/reconciliation/statement/Statement"
import { StatementLine, unassignedLines } from "@bursar/core/reconciliation/statement/StatementLine"
import { Statements } from "@bursar/core/reconciliation/statement/Statements"
import { Queries } from "@bursar/core/store/Queries"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { writing } from "@bursar/testkit/fixtures/commands"
import { bareOperation, bareTransaction } from "@bursar/testkit/fixtures/records"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

const place = "custodian:kraken"

const observation: PlaceObservation = {
  ...{ place, kind: "custodian", currency: "BTC", observation: "observed", ledger: 1n, observed: 1n },
  ...{ inFlight: 0n, inFlightLeast: 0n, inFlightMost: 0n, difference: 0n, block: null, at: past }
}

const statement = (id: string): Statement => ({
  ...{ place, id, currencies: null, from: past, to: past + 1, parts: 1, digest: "d" },
  ...{ received: [0], checkedTo: past, by: "alice", at: past }
})

const line = (id: string): StatementLine => ({
  ...{ place, statement: "good", alsoIn: [], id, at: past, currency: "BTC", units: -1n, references: [], text: "" },
  about: null
})

const changed = Effect.fnUntraced(function* (text: string) {
  const sql = yield* client(url)
  yield* sql.unsafe(text)
})

const contextOf = (tenant: Effect.Success<ReturnType<typeof newTenant>>) => ({
  newId: () => crypto.randomUUID(),
  now: past,
  tenant
})

describe("a row of a list that guards money, which somebody has changed", () => {
  layer(ports(), { excludeTestServices: true })((it) => {
    it.effect("is refused where it tells an observation that no program knows", () =>
      Effect.gen(function* () {
        yield* commitAt(
          fleetTenantId,
          past,
          writing(() => [putRecord(PlaceObservation, observation)])
        )
        for (const change of ["observation = 'odd'", "difference = null"])
          assert.isTrue((yield* Effect.exit(changed(`update place_observation set ${change}`)))._tag === "Failure")
      })
    )

    const apart = Effect.fnUntraced(function* (of: AnyRecord, group: string | undefined, odd: string, all: number) {
      const { readable } = yield* Queries
      const { records, unreadable } = yield* readable(fleetTenantId, of, group)
      assert.lengthOf(records, all - 1)
      assert.deepStrictEqual(
        unreadable.map(({ row }) => row),
        [odd]
      )
    })

    for (const change of ["received = 'null'", "currencies = 'null'", "received = '7'", "currencies = '[7]'"])
      it.effect(`hides no other statement, and is named: ${change}`, () =>
        Effect.gen(function* () {
          yield* commitAt(
            fleetTenantId,
            past,
            writing(() => ["good", "odd"].map((id) => putRecord(Statement, statement(id))))
          )
          yield* changed(`update statement set ${change} where statement_id = 'odd'`)
          yield* apart(Statement, place, `statement ${place}|odd`, 2)
        })
      )

    for (const change of ["refs = 'null'", "also_in = 'null'", "also_in = '7'"])
      it.effect(
        `hides no other line, is named, and lets what a line says of an operation be summed up: ${change}`,
        () =>
          Effect.gen(function* () {
            const tenant = yield* newTenant()
            const swap = { kind: "SWAP", provider: "kraken", amount: of(1n, "BTC") } as const
            const one = bareOperation(contextOf(tenant), swap)
            yield* commitAt(
              tenant.id,
              past,
              writing(() => [putRecord(Operation, one)])
            )
            const about = { operationId: one.id, tenantId: tenant.id }
            yield* commitAt(
              fleetTenantId,
              past,
              writing(() => [
                putRecord(Statement, statement("good")),
                putRecord(StatementLine, line("good")),
                putRecord(StatementLine, line("odd")),
                putRecord(StatementLine, { ...line(one.id), about })
              ])
            )
            yield* changed(`update statement_line set ${change} where line_id in ('odd', '${one.id}')`)
            yield* apart(StatementLine, unassignedLines(place), `statement_line ${place}|odd`, 2)
            const { compared } = yield* Statements
            const books = { place, account: "custodian", provider: "kraken", withAdjustments: false } as const
            const environment = tenant.kind
            const [found] = yield* compared({ ...books, environment }, [about], new Map([["BTC", 1n]]), past)
            assert.strictEqual(found?.shown, -1n)
          })
      )

    it.effect("hides no other order with a provider, and is named", () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant()
        const swap = { kind: "SWAP", status: "PROCESSING", provider: "binance" } as const
        const [good, odd] = [bareOperation(contextOf(tenant), swap), bareOperation(contextOf(tenant), swap)]
        yield* commitAt(
          tenant.id,
          past,
          writing(() => [putRecord(Operation, good), putRecord(Operation, odd)])
        )
        yield* changed(`update operation set details = '{"received":7}' where operation_id = '${odd.id}'`)
        const { provider } = yield* Positions
        const found = yield* provider({ account: "custodian", provider: "binance", environment: tenant.kind, since: 0 })
        assert.deepStrictEqual(
          [found.operations.map(({ id }) => id), found.unreadable.map(({ row }) => row)],
          [[good.id], [`operation ${odd.id}`]]
        )
      })
    )

    for (const change of [
      "payments = '7'",
      "payments = '[{}]'",
      `payments = '[{"to":"a","contract":null,"units":"1.5","memo":null,"operationId":null}]'`,
      "hashes = '7'",
      "cancelled = 'null'",
      "trustlines = '[7]'",
      "guard_utxos = '7', guard_sequence = null, guard_account = null"
    ])
      it.effect(`hides no other transaction of its network, of whatever tenant, and is named: ${change}`, () =>
        Effect.gen(function* () {
          const tenant = yield* newTenant()
          const made = () => bareTransaction(contextOf(tenant), { network: "ethereum", phase: "SIGNED" })
          const [good, odd] = [made(), made()]
          yield* commitAt(
            tenant.id,
            past,
            writing(() => [putRecord(OutboundTransaction, good), putRecord(OutboundTransaction, odd)])
          )
          yield* changed(`update outbound_transaction set ${change} where transaction_id = '${odd.id}'`)
          const found = yield* (yield* Positions).chain("ethereum", 0)
          yield* changed("delete from outbound_transaction")
          assert.deepStrictEqual(
            [found.transactions.map(({ transaction }) => transaction.id), found.unreadable.map(({ row }) => row)],
            [[good.id], [`outbound_transaction ${odd.id}`]]
          )
        })
      )
  })
})
