import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { checkTenant } from "@bursar/core/checker/checkTenant"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { reorgDeposits } from "@bursar/core/incoming/reorgDeposits"
import { schedule } from "@bursar/core/engine/Job"
import type { Command } from "@bursar/core/engine/Command"
import * as Writer from "@bursar/core/engine/Writer"
import { firstHead } from "@bursar/core/engine/WriteSet"
import { idempotent } from "@bursar/core/idempotency/idempotent"
import type { Operation } from "@bursar/core/operation/Operation"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { LedgerSnapshot, type TenantLedger } from "@bursar/core/checker/LedgerSnapshot"
import type { Storage } from "@bursar/core/engine/Storage"
import type { Tenants } from "@bursar/core/port/Tenants"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, Fiber, Layer, Result, Stream } from "effect"
import { adjust } from "../fixtures/commands.ts"
import { incomingTransferAt, newAddress } from "../fixtures/deposits.ts"
import { newTenant } from "../fixtures/tenants.ts"
import { type SuiteOptions, timeoutOf } from "./harness.ts"

const request = (key: string, units: bigint) =>
  idempotent({
    key,
    endpoint: "POST /v1/adjustments",
    fingerprint: key,
    render: (operation: Operation) => ({ id: operation.id }),
    resourceId: (operation) => operation.id,
    command: adjust(units)
  })

/** A life of a tenant with everything that books hold. */
const live = Effect.fnUntraced(function* (id: TenantId, rounds: number, name = "key") {
  const writer = yield* Writer.Writer
  const address = yield* newAddress(id)
  yield* Effect.forEach(
    Array.from({ length: rounds }, (_, round) => round),
    (round) =>
      Effect.gen(function* () {
        const incomingTransfer = incomingTransferAt(address, BigInt(round + 1))
        const block = { blockHash: incomingTransfer.block.hash, confirmations: 3 }
        const command = recordIncomingTransfers(
          { network: "ethereum", requiredConfirmations: 3, incomingTransfers: [incomingTransfer] },
          defaultCurrencies
        )
        const found = (yield* writer.submit(id, command)).map((deposit) => ({ deposit, ...block }))
        if (round % 3 > 0) yield* writer.submit(id, confirmDeposits(found, defaultCurrencies, nothingUndecided))
        if (round % 3 > 1) yield* writer.submit(id, reorgDeposits(found, defaultCurrencies))
        yield* writer.submit(id, request(`${name}-${round}`, BigInt(round % 2 === 0 ? round + 1 : -1_000_000)))
      }),
    { concurrency: 16, discard: true }
  )
})

const everything = Effect.fnUntraced(function* (ledger: TenantLedger) {
  return {
    legs: yield* Stream.runCollect(ledger.legs),
    operations: yield* Stream.runCollect(ledger.operations),
    deposits: yield* Stream.runCollect(ledger.deposits),
    events: yield* Stream.runCollect(ledger.events),
    idempotencyRecords: yield* Stream.runCollect(ledger.idempotencyRecords),
    jobs: yield* Stream.runCollect(ledger.jobs),
    unreadable: yield* ledger.unreadable,
    head: ledger.head,
    balances: ledger.balances
  }
})

const sorted = <A>(rows: ReadonlyArray<A>, before: (left: A, right: A) => boolean): boolean =>
  rows.every((row, index) => {
    const last = rows[index - 1]
    return last === undefined || before(last, row)
  })

/** What every Books must do: all of a tenant's records, in order, as of one moment. */
export const ledgerSnapshotSuite = (
  name: string,
  layer: Layer.Layer<LedgerSnapshot | Storage | Tenants, unknown>,
  options: SuiteOptions = {}
): void => {
  const timeoutMs = timeoutOf(options)
  const services = Layer.provideMerge(Layer.fresh(Writer.layer), layer)
  layerTests(services, { excludeTestServices: true, timeout: timeoutMs })(`${name}: Books`, (it) => {
    it.effect(
      "the books of a busy tenant are complete, in order, and the checker finds nothing wrong with them",
      () =>
        Effect.gen(function* () {
          const { id } = yield* newTenant()
          yield* live(id, 60)
          const ledger = yield* LedgerSnapshot
          const all = yield* ledger.snapshot(id, everything)
          assert.deepStrictEqual(
            [all.deposits.length, all.idempotencyRecords.length, all.operations.length],
            [60, 60, 40 + 20 + 30] // of sixty deposits forty are credited, twenty of these reversed; thirty adjustments pass
          )
          assert.strictEqual(all.legs.length, all.operations.length * 2)
          assert.isTrue(
            sorted(
              all.legs,
              (left, right) =>
                left.postingSeq < right.postingSeq ||
                (left.postingSeq === right.postingSeq && left.ordinal < right.ordinal)
            )
          )
          assert.isTrue(sorted(all.operations, (left, right) => left.id < right.id))
          assert.isTrue(sorted(all.deposits, (left, right) => left.changeSeq < right.changeSeq))
          assert.isTrue(sorted(all.events, (left, right) => left.id === right.id - 1))
          assert.isTrue(sorted(all.idempotencyRecords, (left, right) => left.key < right.key))
          assert.deepStrictEqual(
            [all.head.eventId, all.head.postingSeq],
            [all.events.length, new Set(all.legs.map(({ postingSeq }) => postingSeq)).size]
          )
          const results = yield* ledger.snapshot(id, checkTenant)
          assert.deepStrictEqual(
            results.filter(({ firstWrong }) => firstWrong !== null),
            []
          )
        }),
      timeoutMs
    )

    it.effect(
      "a snapshot does not see what is committed while it is read, and readers block no writer",
      () =>
        Effect.gen(function* () {
          const { id } = yield* newTenant()
          yield* live(id, 6)
          const ledger = yield* LedgerSnapshot
          const [before, after] = yield* ledger.snapshot(id, (snapshot) =>
            Effect.gen(function* () {
              const first = yield* everything(snapshot)
              yield* live(id, 6, "late")
              return [first, yield* everything(snapshot)] as const
            })
          )
          assert.deepStrictEqual(after, before)
          const later = yield* ledger.snapshot(id, everything)
          for (const kind of ["legs", "operations", "deposits", "events", "idempotencyRecords"] as const) {
            assert.isAbove(later[kind].length, before[kind].length, kind)
          }
          assert.isAbove(later.head.eventId, before.head.eventId)
        }),
      timeoutMs
    )

    it.effect(
      "the checker finds nothing wrong in any snapshot taken while others write",
      () =>
        Effect.gen(function* () {
          const { id } = yield* newTenant()
          const ledger = yield* LedgerSnapshot
          const writing = yield* Effect.forkChild(live(id, 60))
          for (let count = 0; count < 10; count++) {
            const results = yield* ledger.snapshot(id, checkTenant)
            assert.deepStrictEqual(
              results.filter(({ firstWrong }) => firstWrong !== null),
              []
            )
            yield* Effect.yieldNow
          }
          yield* Fiber.join(writing)
        }),
      timeoutMs
    )

    it.effect(
      "the jobs of a tenant are all of its own, in order, whenever they are due",
      () =>
        Effect.gen(function* () {
          const [one, other] = [yield* newTenant(), yield* newTenant()]
          const writer = yield* Writer.Writer
          const putting = (...keys: ReadonlyArray<string>): Command<null> => ({
            name: "Putting",
            reads: [],
            decide: (view) =>
              Result.succeed({
                changes: keys.flatMap((key) => [schedule("topic", key, view.now + 1e9), schedule("a topic", key, 0)]),
                reply: null
              })
          })
          yield* writer.submit(one.id, putting("b", "B", "a"))
          yield* writer.submit(other.id, putting("c"))
          const { jobs } = yield* (yield* LedgerSnapshot).snapshot(one.id, everything)
          assert.deepStrictEqual(
            jobs.map(({ key, tenantId, queue }) => [tenantId, queue, key]),
            ["a topic", "topic"].flatMap((queue) => ["B", "a", "b"].map((key) => [one.id, queue, key]))
          )
        }),
      timeoutMs
    )

    it.effect(
      "the books of a new tenant are empty",
      () =>
        Effect.gen(function* () {
          const tenant = yield* newTenant()
          const all = yield* (yield* LedgerSnapshot).snapshot(tenant.id, everything)
          assert.deepStrictEqual(all.head, firstHead(tenant))
          assert.deepStrictEqual(
            [
              all.legs,
              all.operations,
              all.deposits,
              all.events,
              all.idempotencyRecords,
              all.jobs,
              all.unreadable,
              all.balances
            ],
            [[], [], [], [], [], [], [], []]
          )
        }),
      timeoutMs
    )
  })
}
