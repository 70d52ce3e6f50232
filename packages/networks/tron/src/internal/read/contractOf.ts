import { Result, Schema } from "effect"
import { readable } from "../rpc/NodeAnswer.ts"
import type { Transaction } from "./readInfos.ts"
import { type NativeMove, signedContract } from "./signedContract.ts"
import { Address, TransactionBody, TransferContract, TriggerSmartContract, Units } from "../rpc/wire.ts"

/** What was read of a transaction's own contract. */
export interface OwnContract {
  readonly native: NativeMove | undefined
  /** The contract that it calls, 21 bytes in hexadecimal; undefined where it calls none. */
  readonly called: string | undefined
}

/** The contracts by which nobody pays another the network's coin (core/Tron.proto): what they pay out is the owner's own. */
const payingNobody: ReadonlySet<string> = new Set([
  "AccountCreateContract",
  "AccountPermissionUpdateContract",
  "AccountUpdateContract",
  "AssetIssueContract",
  "CancelAllUnfreezeV2Contract",
  "ClearABIContract",
  "CreateSmartContract",
  "CustomContract",
  "DelegateResourceContract",
  "ExchangeCreateContract",
  "ExchangeInjectContract",
  "ExchangeTransactionContract",
  "ExchangeWithdrawContract",
  "FreezeBalanceContract",
  "FreezeBalanceV2Contract",
  "GetContract",
  "MarketCancelOrderContract",
  "MarketSellAssetContract",
  "ProposalApproveContract",
  "ProposalCreateContract",
  "ProposalDeleteContract",
  "SetAccountIdContract",
  "ShieldedTransferContract",
  "TransferAssetContract",
  "UnDelegateResourceContract",
  "UnfreezeAssetContract",
  "UnfreezeBalanceContract",
  "UnfreezeBalanceV2Contract",
  "UpdateAssetContract",
  "UpdateBrokerageContract",
  "UpdateEnergyLimitContract",
  "UpdateSettingContract",
  "VoteAssetContract",
  "VoteWitnessContract",
  "WithdrawBalanceContract",
  "WithdrawExpireUnfreezeContract",
  "WitnessCreateContract",
  "WitnessUpdateContract"
])

const nothing: OwnContract = { native: undefined, called: undefined }

type ContractBody = TransactionBody["raw_data"]["contract"][number]

const readContract = (contract: ContractBody): Result.Result<OwnContract, string> =>
  Result.gen(function* () {
    const { value } = contract.parameter
    if (contract.type === "TransferContract" || contract.type === "ParticipateAssetIssueContract") {
      const { amount, owner_address: from, to_address: to } = yield* readable(TransferContract, value)
      return { native: { from, to, units: BigInt(amount) }, called: undefined }
    }
    if (contract.type === "TriggerSmartContract") {
      const call = yield* readable(TriggerSmartContract, value)
      const { call_value: units = 0, contract_address: to, owner_address: from } = call
      return { native: { from, to, units: BigInt(units) }, called: to }
    }
    return payingNobody.has(contract.type)
      ? nothing
      : yield* Result.fail(`its type, ${contract.type.slice(0, 60)}, is not known`)
  })

/** Whether a contract as JSON tells of it is another than the one that was signed. */
const isAnother = ({ raw_data_hex: raw }: Transaction, type: string, native: NativeMove | undefined): boolean => {
  const signed = raw === undefined ? undefined : signedContract(raw)
  if (signed === undefined) return false
  const { moved } = signed
  return (
    signed.type !== type || moved?.from !== native?.from || moved?.to !== native?.to || moved?.units !== native?.units
  )
}

/**
 * The contract of a transaction, or in words why it cannot be read. Buying a token of the network pays its issuer coin. What JSON says
 * must be what was signed.
 */
export const contractOf = (transaction: Transaction): Result.Result<OwnContract, string> =>
  Result.gen(function* () {
    const { raw_data: raw } = yield* readable(TransactionBody, transaction.answer)
    const [contract] = raw.contract
    if (contract === undefined) return yield* Result.fail("it has no contract")
    const read = yield* readContract(contract)
    return isAnother(transaction, contract.type, read.native)
      ? yield* Result.fail("it does not say what was signed")
      : read
  })

const isAddress = Schema.is(Address)
const isUnits = Schema.is(Units)

/** How deep names are looked for: no contract of the network nests deeper. */
const depthMax = 6

const namesIn = (value: unknown, depth = 0): ReadonlyArray<string> => {
  if (isAddress(value)) return [value]
  if (typeof value !== "object" || value === null || depth > depthMax) return []
  return Object.values(value).flatMap((inner) => namesIn(inner, depth + 1))
}

/**
 * Whom a transaction of an unknown kind names, with the amount that it names: nothing else tells whom it pays. Null where it names
 * nobody.
 */
export const namedBy = ({
  answer
}: Transaction): ReadonlyArray<{ readonly to: string; readonly units: bigint }> | null => {
  const body = Result.getOrUndefined(readable(TransactionBody, answer))
  const value = body?.raw_data.contract[0]?.parameter.value
  const names = [...new Set(namesIn(value))]
  const amount: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "amount") : undefined
  return names.length === 0 ? null : names.map((to) => ({ to, units: isUnits(amount) ? BigInt(amount) : 0n }))
}
