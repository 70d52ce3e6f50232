import { Result } from "effect"
import { schedule } from "../engine/Agenda.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import { type AccountSetup, setupKey, type SetupRole } from "./AccountSetup.ts"
import { putSpend, staleSpend } from "./moveSpend.ts"
import type { PayoutWallet } from "./PayoutWallet.ts"
import { nextNumber } from "./reserveSpend.ts"
import { spendTopic } from "./sendTopic.ts"
import type { Spend, SpendPurpose } from "./Spend.ts"
import { underWayMax } from "./tokenKind.ts"
import { newSpend } from "./newSpend.ts"

/** What brings an account of the service further: coin from the wallet, which makes it where there is none, or its agreement. */
export type SetupStep =
  | { readonly _tag: "Give"; readonly units: bigint }
  | { readonly _tag: "Agree"; readonly contracts: ReadonlyArray<string> }

/** A step to be made for an account. */
export interface ReserveSetup {
  readonly address: string
  readonly role: SetupRole
  readonly step: SetupStep
  /** The newest spend of the account, as it was read: null where there is none. */
  readonly after: string | null
  /** Whether that one did what it was for; true where there is none. */
  readonly succeeded: boolean
  /** The tenant's payout wallet. */
  readonly wallet: PayoutWallet
  /** Whose number is used up, and who pays the network fee: the wallet, or an account that lends its numbers. */
  readonly lender: PayoutWallet
  /** What the chain says that the lender's numbers go on with (`ChainSender.firstSequence`). */
  readonly first: bigint | null
}

const purposeOf = (role: SetupRole, { _tag }: SetupStep): SpendPurpose => {
  if (_tag === "Agree") return "SETUP"
  return role === "ISSUING" ? "TOP_UP" : "CHANNEL"
}

/**
 * Reserves a step that brings an account of the service further, in one commit with what says so: one that is under way keeps
 * another from beginning, whatever dies in between. `stale` where one is, or the lender's number is in use: look again.
 */
export const reserveSetup = (command: ReserveSetup): Command<Spend> => {
  const { address, after, lender: lending, role, step, wallet: paying } = command
  const { network } = paying
  const key = setupKey({ network, address })
  return {
    name: "ReserveSetup",
    reads: [
      readRecord("AccountSetup", key),
      readRecord("PayoutWallet", paying.id),
      readRecord("PayoutWallet", lending.id),
      ...(after === null ? [] : [readRecord("Spend", after)])
    ],
    decide: (view) => {
      const before = view.record("AccountSetup", key)
      const [wallet, lender] = [view.record("PayoutWallet", paying.id), view.record("PayoutWallet", lending.id)]
      if (wallet === undefined || lender === undefined) return Result.fail(staleSpend("A wallet is not there."))
      if ((before?.spendId ?? null) !== after) return Result.fail(staleSpend("Another step was made for the account."))
      if (after !== null && view.record("Spend", after)?.phase !== "FINAL") {
        return Result.fail(staleSpend("The step before this one is not over."))
      }
      if (lender.openSpends >= underWayMax(network)) return Result.fail(staleSpend("The account's number is in use."))
      const number = nextNumber(lender, command.first)
      if (number === null) return Result.fail(staleSpend("The account's next number is not known."))
      const gives = step._tag === "Give"
      const spend = newSpend(view, {
        id: view.newId(),
        network,
        purpose: purposeOf(role, step),
        // the wallet bears what it costs, whoever agrees and whoever lends the number
        walletId: wallet.id,
        from: gives ? wallet.address : address,
        token: { _tag: "Sequence", account: lender.address, number },
        counterId: lender.id,
        payments: gives ? [{ operationId: null, to: address, contract: null, units: step.units, memo: null }] : [],
        agreesTo: gives ? [] : step.contracts,
        drain: false,
        salt: wallet.nextSalt
      })
      const put = putSpend(view, null, spend, { nextSequence: number + 1n }).map((change): Change =>
        change._tag === "RecordPut" && change.kind === "PayoutWallet" && change.record.id === wallet.id
          ? putRecord("PayoutWallet", { ...change.record, nextSalt: wallet.nextSalt + 1 })
          : change
      )
      const setup: AccountSetup = {
        network,
        address,
        role,
        ready: false,
        spendId: spend.id,
        failures: command.succeeded ? 0 : (before?.failures ?? 0) + 1,
        problem: null,
        since: before?.ready === false ? before.since : view.now,
        lookedAt: view.now
      }
      return Result.succeed({
        changes: [...put, putRecord("AccountSetup", setup), schedule(spendTopic(network), spend.id, view.now)],
        reply: spend
      })
    }
  }
}
