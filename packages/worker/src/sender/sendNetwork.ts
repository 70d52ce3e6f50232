import type { Fence } from "@bursar/core/engine/fenced"
import type { Writer } from "@bursar/core/engine/Writer"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Network } from "@bursar/core/money/Network"
import { switchedOffForAll } from "@bursar/core/payout/payoutSwitches"
import type { JobQueue } from "@bursar/core/port/JobQueue"
import type { ChainSender } from "@bursar/core/port/ChainSender"
import { type Fenced, Leadership } from "@bursar/core/port/Leadership"
import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import type { Queries } from "@bursar/core/store/Queries"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { Effect, type Scope } from "effect"
import { advanceTransaction } from "../transactions/advanceTransaction.ts"
import { inOrder, provisioningKey, readDue, releasingKey, reservingKey } from "../transactions/readDue.ts"
import { isFiller, releaseFillers } from "../transactions/releaseFillers.ts"
import { reservePayouts } from "../transactions/reservePayouts.ts"
import type { OwnedTransaction, Send } from "../transactions/Send.ts"
import { type SweepOptions, sweepTerm } from "../sweep/sweepTerm.ts"
import { apart, lastingFailuresRemembered, storageFailed, storageWorks, unlessStorageFails } from "../queue/apart.ts"
import { makePlaces, type Places } from "../queue/places.ts"
import { awaitSome, makeUnderWay, type UnderWay } from "../queue/underWay.ts"
import { defaultSendLimits, type SendLimits } from "../transactions/SendLimits.ts"
import { provisionAccounts } from "../transactions/provisionAccounts.ts"

/** A network to send on. */
export interface SendOptions {
  readonly sender: ChainSender
  readonly currencies: CurrencyTable
  readonly limits?: SendLimits
  /** Networks on which no payout of anybody is put into an outbound transaction, beside those that operators switch off. None where absent. */
  readonly payoutsOff?: ReadonlyArray<Network>
  /** What arrived on addresses is swept beside, where this is given. */
  readonly sweeps?: SweepOptions
}

/** What a sender stands on. */
export type SendPorts = JobQueue | NetworkSwitches | Queries | TransactionSigner | Writer

const isUnsent = ({ transaction: { phase } }: OwnedTransaction): boolean => phase === "RESERVED" || phase === "SIGNED"

/** What one term works on. */
interface Working {
  readonly underWay: UnderWay<Fenced>
  /** Those that are sent have places of their own: what only waits for its end must not keep them waiting. */
  readonly places: Readonly<Record<"sending" | "following" | "provisioning" | "reserving" | "releasing", Places>>
}

const makeWorking = Effect.fnUntraced(function* ({ tenantsAtOnce, transactionsAtOnce }: SendLimits) {
  const underWay = yield* makeUnderWay<Fenced>()
  return {
    underWay,
    places: {
      sending: yield* makePlaces(transactionsAtOnce),
      following: yield* makePlaces(transactionsAtOnce),
      provisioning: yield* makePlaces(tenantsAtOnce),
      reserving: yield* makePlaces(tenantsAtOnce),
      releasing: yield* makePlaces(tenantsAtOnce)
    }
  } satisfies Working
})

/** Takes an outbound transaction up. `isDone` is told where it came further. */
const advance = (send: Send, { places, underWay }: Working, owned: OwnedTransaction, isDone: Effect.Effect<void>) => {
  const { tenantId: tenant, transaction } = owned
  const about = { tenant, transaction: transaction.id }
  const advanced = apart(about, unlessStorageFails(about, Effect.andThen(advanceTransaction(send, owned), isDone)))
  return underWay.begin(transaction.id, (isUnsent(owned) ? places.sending : places.following)(tenant, advanced))
}

/**
 * Takes up all that is due on the network and not under way, and waits for it, but not for long: what a node keeps waiting for its answer holds
 * up nothing else, and payouts of one tenant none of another's. Returns whether anything was done.
 */
const sendPass = Effect.fn("send.pass")(function* (send: Send, working: Working) {
  const { places, underWay } = working
  const provisioning = yield* provisionAccounts(send, (tenantId, work) =>
    underWay.begin(provisioningKey(tenantId), places.provisioning(tenantId, work))
  )
  const { payouts, transactions } = yield* readDue(send, underWay.has)
  let isBusy = false
  const isDone = Effect.sync(() => {
    isBusy = true
  })
  const each = (some: ReadonlyArray<OwnedTransaction>) =>
    Effect.forEach(inOrder(some), (owned) => advance(send, working, owned, isDone))
  const reserving = yield* Effect.forEach(
    Map.groupBy(payouts, ({ tenantId }) => tenantId),
    ([tenantId, ofOne]) =>
      underWay.begin(
        reservingKey(tenantId),
        unlessStorageFails(
          { tenant: tenantId, part: "reserve" },
          places.reserving(tenantId, reservePayouts(send, tenantId, ofOne)).pipe(Effect.flatMap(each))
        )
      )
  )
  // the signer is asked about them first
  const releasing = yield* Effect.forEach(
    Map.groupBy(transactions.filter(isFiller), ({ tenantId }) => tenantId),
    ([tenantId, ofOne]) =>
      underWay.begin(
        releasingKey(tenantId),
        unlessStorageFails(
          { tenant: tenantId, part: "release" },
          places.releasing(tenantId, releaseFillers(send, ofOne)).pipe(Effect.flatMap(each))
        )
      )
  )
  const advancing = yield* each(transactions.filter((owned) => !isFiller(owned)))
  yield* awaitSome([...provisioning, ...reserving, ...releasing, ...advancing], send.limits.idleMs)
  // what failed is still due: it is tried again at the pace of an idle sender, not at once
  return isBusy
})

/** The sender during one term of leadership: rounds without end. Fails when another process leads. */
export const sendTerm = Effect.fn("send.term")(function* (
  { currencies, limits = defaultSendLimits, sender, sweeps, payoutsOff = [] }: SendOptions,
  fence: Fence
): Effect.fn.Return<never, Fenced | StorageError, SendPorts> {
  const { all } = yield* NetworkSwitches
  const switchedOff = Effect.map(all, (switches) => switchedOffForAll(switches, payoutsOff, sender.network))
  const traits = currencies.networks.of(sender.network)
  const send: Send = { sender, traits, fence, currencies, limits, switchedOff, wallets: new Map() }
  yield* Effect.logInfo("sender.started").pipe(Effect.annotateLogs({ epoch: fence.epoch }))
  const rounds = sendRounds(send)
  return yield* sweeps === undefined ? rounds : Effect.raceFirst(rounds, sweepTerm(send, sweeps))
})

/** What failures of the rounds themselves are remembered by. */
const sending = { loop: "send" }

/** Rounds until the storage does not give what is due: then all that is under way is left, as it may have failed with it. */
const sendUntilFailure = Effect.fnUntraced(function* (
  send: Send
): Effect.fn.Return<never, Fenced | StorageError, SendPorts | Scope.Scope> {
  const { idleMs } = send.limits
  const working = yield* makeWorking(send.limits)
  const rounds = sendPass(send, working).pipe(
    Effect.tap(() => storageWorks(sending)),
    Effect.flatMap((busy) => (busy ? Effect.yieldNow : Effect.sleep(idleMs))),
    Effect.forever
  )
  return yield* Effect.raceFirst(rounds, working.underWay.failure)
}, Effect.scoped)

const sendRounds = (send: Send): Effect.Effect<never, Fenced | StorageError, SendPorts> =>
  sendUntilFailure(send).pipe(
    Effect.catchTag("StorageError", (error) => storageFailed(sending, error)),
    Effect.andThen(Effect.sleep(send.limits.idleMs)),
    Effect.forever
  )

/**
 * Sends on a network for as long as it runs, for all tenants: elected as `send:<network>`, one process in the fleet puts payouts into
 * outbound transactions, has them signed, broadcasts them and follows them to their end. Nothing but interruption ends it. What it does survives its
 * death at any moment: each step is stored before the next.
 */
export const sendNetwork = (options: SendOptions): Effect.Effect<never, never, Leadership | SendPorts> =>
  Leadership.pipe(
    Effect.flatMap((leadership) =>
      leadership.lead(`send:${options.sender.network}`, (fence) => sendTerm(options, fence))
    ),
    lastingFailuresRemembered,
    Effect.annotateLogs({ network: options.sender.network })
  )
