import type { xdr } from "@stellar/stellar-sdk/base"
import { authImmutable, availableOf, newAccount, subentries } from "../Account.ts"
import { accountOf } from "../address.ts"
import { baseReserve } from "../network.ts"
import { amountIn, textOf } from "../units.ts"
import { credit } from "./balances.ts"
import type { Op } from "./pay.ts"
import { actor, type Step, update } from "./Step.ts"

/** Makes an account out of coin of another. */
export const createAccount = (step: Step, op: Op<"createAccount">): xdr.OperationResultTrWire => {
  const units = amountIn(op.startingBalance)
  const code = createdWith(step, op.destination, units)
  return { type: 0, createAccountResult: { code } }
}

const createdWith = (step: Step, id: string, units: bigint): 0 | -1 | -2 | -3 | -4 => {
  const source = actor(step)
  if (units < 0n || id === step.source) return -1
  if (step.state.get(id) !== undefined) return -4
  if (units < 2n * baseReserve) return -3
  if (availableOf(source) < units) return -2
  update(step, { ...source, balance: source.balance - units })
  step.state.put(id, newAccount(id, units, step.ledger, step.time))
  step.record({ account: id, type: "account_created", details: { starting_balance: textOf(units) } })
  step.record({
    account: step.sourceAddress,
    type: "account_debited",
    details: { asset_type: "native", amount: textOf(units) }
  })
  step.record({ account: id, type: "signer_created", details: { weight: 1, public_key: id, key: "" } })
  return 0
}

/** Removes an account and gives its coin to another. */
export const accountMerge = (step: Step, op: Op<"accountMerge">): xdr.OperationResultTrWire => {
  const source = actor(step)
  const refused = (code: -1 | -2 | -3 | -4 | -5 | -6): xdr.OperationResultTrWire => ({
    type: 8,
    accountMergeResult: { code }
  })
  if (accountOf(op.destination) === step.source) return refused(-1)
  if (step.state.get(accountOf(op.destination)) === undefined) return refused(-2)
  if ((source.flags & authImmutable) !== 0) return refused(-3)
  if (subentries(source) !== source.signers.size) return refused(-4)
  if (source.sequence >= BigInt(step.ledger) << 32n) return refused(-5)
  const { balance } = source
  step.record({
    account: step.sourceAddress,
    type: "account_debited",
    details: { asset_type: "native", amount: textOf(balance) }
  })
  if (credit(step, op.destination, "native", balance) !== 0) return refused(-6)
  step.state.put(source.id, undefined)
  step.record({ account: step.sourceAddress, type: "account_removed", details: {} })
  return { type: 8, accountMergeResult: { code: 0, sourceAccountBalance: balance } }
}

/** Raises the sequence of an account, so that what was signed for lower numbers is void. */
export const bumpSequence = (step: Step, op: Op<"bumpSequence">): xdr.OperationResultTrWire => {
  const source = actor(step)
  const to = BigInt(op.bumpTo)
  if (to < 0n) return { type: 11, bumpSeqResult: { code: -1 } }
  if (to > source.sequence) {
    update(step, { ...source, sequence: to, sequenceAt: { ledger: step.ledger, time: step.time } })
    step.record({ account: step.sourceAddress, type: "sequence_bumped", details: { new_seq: to.toString() } })
  }
  return { type: 11, bumpSeqResult: { code: 0 } }
}
