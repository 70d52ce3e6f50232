import { Result } from "effect"
import { unschedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord } from "../engine/Records.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { NetworkTable } from "../money/Network.ts"
import { staleTransaction } from "../transaction/moveTransaction.ts"
import { PayoutWallet } from "../transaction/PayoutWallet.ts"
import type { GuardRequest } from "../transaction/reserveGuard.ts"
import { reserveReads, reserveTransaction } from "../transaction/reserveTransaction.ts"
import {
  examine,
  openChanges,
  openedSweep,
  type ReservedSweep,
  type SweepRequest,
  requestReads
} from "./reserveSweep.ts"
import { newSweepAccount, sweepAccountKey, SweepAccount } from "./SweepAccount.ts"
import { sweepQueue } from "./sweepQueues.ts"
import { topUpRule } from "./sweepRule.ts"

/** An address that is to be given coin, so that it can pay for moving what arrived there. */
export interface ReserveTopUp {
  /** The tenant's payout wallet, which pays. */
  readonly wallet: PayoutWallet
  /** What the network's adapter has planned that it uses up. */
  readonly guard: GuardRequest
  readonly request: SweepRequest
  /** So much of the native asset. */
  readonly units: bigint
  /** When to look at it again, whatever comes of its outbound transaction. */
  readonly lookAt: Timestamp
}

/**
 * Opens a sweep by the outbound transaction that gives its address coin for the network fee. Refused and answered as `reserveSweep`; its
 * plan is refused as by `reserveGuard`.
 */
export const reserveTopUp = (
  { guard: planned, lookAt, request, units, wallet: paying }: ReserveTopUp,
  networks: NetworkTable
): Command<ReservedSweep> => {
  const { network } = paying
  const key = sweepAccountKey(network, request.account)
  return {
    name: "ReserveTopUp",
    reads: [...requestReads(paying, [request]), ...reserveReads(paying, planned)],
    decide: (view) => {
      const found = examine(view, network, [request], { _tag: "TopUp" })
      if (Result.isFailure(found)) return Result.fail(found.failure)
      const { held } = found.success
      if (held.length > 0) {
        const changes = held.map((id) => unschedule(sweepQueue(network), id))
        return Result.succeed({ changes, reply: { _tag: "Held", addressIds: held } as const })
      }
      const wallet = view.get(PayoutWallet, paying.id)
      if (wallet === undefined) return Result.fail(staleTransaction("The wallet is not there."))
      const reserved = reserveTransaction(view, topUpRule, {
        wallet,
        purpose: "TOP_UP",
        from: wallet.address,
        guard: planned,
        traits: networks.of(network),
        payments: [{ operationId: null, to: request.account, contract: null, units, memo: null }],
        trustlines: []
      })
      if (Result.isFailure(reserved)) return Result.fail(reserved.failure)
      const { changes, transaction } = reserved.success
      const sweep = openedSweep(view, network, request, {
        topUpTransactionId: transaction.id,
        sweepTransactionId: null
      })
      const account = view.get(SweepAccount, key) ?? newSweepAccount(network, request.account)
      return Result.succeed({
        changes: [
          ...changes,
          ...openChanges(view, sweep, request, lookAt),
          putRecord(SweepAccount, { ...account, sweepIds: [...account.sweepIds, sweep.id] })
        ],
        reply: { _tag: "Reserved", transaction, sweeps: [sweep] } as const
      })
    }
  }
}
