import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import type { Read } from "../engine/Read.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { creditReads } from "../deposit/creditDeposit.ts"
import { Deposit } from "../deposit/Deposit.ts"
import { countImports } from "../sweep/countImports.ts"
import { sweepableReads } from "../sweep/addSweepable.ts"
import { distinct } from "../deposit/distinct.ts"
import { reorgOne } from "./reorgOne.ts"
import { readRecord } from "../engine/Records.ts"
import { DepositAddress } from "../address/DepositAddress.ts"

/** A deposit whose block is no longer on the chain, or whose transaction waits for a block no more and was not mined. */
export interface Lost {
  readonly deposit: Deposit
  /** The hash of the block that went, null where there was none: a deposit that stands in another one by now is left alone. */
  readonly blockHash: string | null
}

/**
 * Marks deposits of one tenant as reorged and reverses what had been credited. Sending it twice reverses once. Replies
 * with what moved.
 */
export const reorgDeposits = (
  lost: ReadonlyArray<Lost>,
  currencies: CurrencyTable
): Command<ReadonlyArray<Deposit>> => ({
  name: "ReorgDeposits",
  reads: lost.flatMap(({ deposit }): ReadonlyArray<Read> => [
    readRecord(Deposit, { network: deposit.network, txHash: deposit.txHash, transferIndex: deposit.transferIndex }),
    readRecord(DepositAddress, deposit.addressId),
    ...creditReads(deposit),
    ...sweepableReads(deposit)
  ]),
  decide: (view) => {
    const changes: Array<Change> = []
    const deposits: Array<Deposit> = []
    for (const each of distinct(lost, ({ deposit }) => deposit)) {
      const {
        blockHash,
        deposit: { network, transferIndex, txHash, addressId }
      } = each
      const deposit = view.get(Deposit, { network, txHash, transferIndex })
      const address = view.get(DepositAddress, addressId)
      if (deposit === undefined || address === undefined || (deposit.block?.hash ?? null) !== blockHash) continue
      const gone = reorgOne(view, currencies, deposit, address)
      if (gone === undefined) continue
      changes.push(...gone.changes)
      deposits.push(gone.deposit)
    }
    return Result.succeed({ changes: countImports(view, changes), reply: deposits })
  }
})
