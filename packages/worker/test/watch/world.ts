import { writing } from "@bursar/testkit/fixtures/commands"
import { keysAt } from "@bursar/testkit/fixtures/deposits"
import { checkTenant } from "@bursar/core/checker/checkTenant"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { putRecord } from "@bursar/core/engine/Records"
import * as Writer from "@bursar/core/engine/Writer"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Network } from "@bursar/core/money/Network"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { Queries } from "@bursar/core/store/Queries"
import { WatchState } from "@bursar/core/store/WatchState"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { emptyState, layerOver, type State } from "@bursar/memory"
import { type FakeChain, makeFakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { past } from "@bursar/testkit/fixtures/tenants"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { SecondNodePolicy } from "../../src/watch/secondNode/SecondNode.ts"
import { watchNetwork } from "../../src/watch/watchNetwork.ts"
import { defaultWatchLimits, type WatchLimits } from "../../src/watch/WatchLimits.ts"

/** An ethereum chain whose first block is as old as the tests' clock. */
export const ethereum = (more: Partial<Parameters<typeof makeFakeChain>[0]> = {}): FakeChain =>
  makeFakeChain({ network: "ethereum", firstBlockTime: past, reorgDepthMax: 16, ...more })

/** The storage ports and a writer over a state; several such layers are as several processes on one database. */
export const processOver = (state: State) => Writer.layer.pipe(Layer.provideMerge(layerOver(state)))

/** One process over an empty store. */
export const oneProcess = () => processOver(emptyState())

/** Starts the watcher of a chain in a scope, and puts the clock where the chain begins. */
export const watching = (
  { accountOf, reader }: FakeChain & Pick<NetworkAdapter, "accountOf">,
  limits: Partial<WatchLimits> = {},
  secondNode?: SecondNodePolicy
) =>
  watchNetwork({
    adapter: { reader, keys: { keysOf: keysAt }, ...(accountOf && { accountOf }) },
    currencies: defaultCurrencies,
    limits: { ...defaultWatchLimits, ...limits },
    ...(secondNode && { secondNode })
  })

/** Records a transaction as one of ours, as the signer's answer does. */
export const signed = (tenantId: TenantId, network: Network, hash: string) =>
  Effect.flatMap(Writer.Writer, ({ submit }) => {
    const attempt: TransactionAttempt = {
      network,
      hash,
      transactionId: crypto.randomUUID(),
      raw: new Uint8Array(1),
      validUntil: null,
      replaces: null,
      pays: [],
      feeMax: 1n,
      signedAt: past,
      sentAt: null
    }
    return submit(
      tenantId,
      writing(() => [putRecord(TransactionAttempt, attempt)])
    )
  })

/** Sets the tests' clock to the first block's time. */
export const begin = TestClock.setTime(past)

/** Lets a second pass and everything that it wakes run. */
export const tick = Effect.andThen(
  TestClock.adjust("1 second"),
  Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })
)

/** Lets time pass, second by second. */
export const ticks = (count: number) => Effect.forEach(Array.from({ length: count }), () => tick, { discard: true })

/** Lets time pass until something is true; fails the test where it never is. */
export const until = <E, R>(what: string, isTrue: Effect.Effect<boolean, E, R>) =>
  Effect.gen(function* () {
    for (let left = 200; left > 0; left--) {
      if (yield* isTrue) return
      yield* tick
    }
    assert.fail(`it never came true that ${what}`)
  })

/** The deposits of a tenant in the order of their last change. */
export const depositsOf = (tenantId: TenantId): Effect.Effect<ReadonlyArray<Deposit>, never, Queries> =>
  Queries.pipe(
    Effect.flatMap((queries) => queries.deposits(tenantId, { after: 0, limit: 500 })),
    Effect.orDie
  )

/** The kinds of a tenant's events, in order. */
export const kindsOf = (tenantId: TenantId) =>
  Queries.pipe(
    Effect.flatMap((queries) => queries.events(tenantId, 0, 500)),
    Effect.map((events) => events.map(({ kind }) => kind)),
    Effect.orDie
  )

/** What a tenant has free of a currency. */
export const available = (tenantId: TenantId, currency = "ETH") =>
  Queries.pipe(
    Effect.flatMap((queries) => queries.float(tenantId)),
    Effect.map(
      (balances) => balances.find((one) => one.account === "float:available" && one.currency === currency)?.units ?? 0n
    ),
    Effect.orDie
  )

/** How the watcher of a network says that it is doing. */
export const statusOf = (network: string) =>
  WatchState.pipe(
    Effect.flatMap(({ statuses }) => statuses),
    Effect.map((all) => all.find((status) => status.network === network)),
    Effect.orDie
  )

/** Waits until the watcher has read up to the chain's newest block. */
export const caughtUp = (chain: FakeChain) =>
  until(
    "the watcher caught up",
    Effect.map(
      statusOf(chain.reader.network),
      (status) => status?.cursor?.hash === chain.latest().hash && status.problem === null
    )
  )

/** Waits until a tenant's deposits have these statuses, in the order of their last change. */
export const untilStatuses = (tenantId: TenantId, ...statuses: ReadonlyArray<Deposit["status"]>) =>
  until(
    `the deposits are ${statuses.join(", ")}`,
    Effect.map(depositsOf(tenantId), (deposits) => deposits.map(({ status }) => status).join() === statuses.join())
  )

/** Re-derives the tenant's books and fails the test where they do not add up. */
export const ledgerHolds = (tenantId: TenantId) =>
  Effect.gen(function* () {
    const ledger = yield* LedgerSnapshot
    const results = yield* ledger.snapshot(tenantId, checkTenant)
    for (const { firstWrong, invariant } of results) assert.strictEqual(firstWrong, null, invariant)
  })
