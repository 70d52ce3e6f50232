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
import { logStorageError, type StorageError } from "@bursar/core/engine/StorageError"
import type { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { Effect } from "effect"
import { advanceTransaction } from "../transactions/advanceTransaction.ts"
import { inOrder, readDue } from "../transactions/readDue.ts"
import { releaseFillers } from "../transactions/releaseFillers.ts"
import { reservePayouts } from "../transactions/reservePayouts.ts"
import type { OwnedTransaction, Send } from "../transactions/Send.ts"
import { type SweepOptions, sweepTerm } from "../sweep/sweepTerm.ts"
import { apart } from "../queue/apart.ts"
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

/** One round over all that is due on the network. Returns whether anything was done. */
export const sendPass = Effect.fn("send.pass")(function* (send: Send) {
  yield* provisionAccounts(send)
  const { payouts, transactions: due } = yield* readDue(send)
  const transactions = yield* releaseFillers(send, due)
  const reserved = payouts.length === 0 ? [] : yield* reservePayouts(send, payouts)
  // what is to be sent goes before what was sent and is only followed
  const [unsent, sent] = [transactions.filter(isUnsent), transactions.filter((owned) => !isUnsent(owned))]
  const all = [...inOrder([...unsent, ...reserved]), ...inOrder(sent)]
  const advanced = yield* Effect.forEach(
    all,
    (owned) => {
      const about = { tenant: owned.tenantId, transaction: owned.transaction.id }
      return apart(about, Effect.as(advanceTransaction(send, owned), true))
    },
    { concurrency: send.limits.transactionsAtOnce }
  )
  // what failed is still due: it is tried again at the pace of an idle sender, not at once
  return advanced.some((done) => done === true)
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

const sendRounds = Effect.fnUntraced(function* (send: Send): Effect.fn.Return<never, Fenced | StorageError, SendPorts> {
  while (true) {
    const busy = yield* sendPass(send).pipe(
      Effect.catchTag("StorageError", (error) => Effect.as(logStorageError(error), false))
    )
    yield* busy ? Effect.yieldNow : Effect.sleep(send.limits.idleMs)
  }
})

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
    Effect.annotateLogs({ network: options.sender.network })
  )
