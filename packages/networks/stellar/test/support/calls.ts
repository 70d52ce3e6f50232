import { Account, Contract, type Keypair, Memo, TransactionBuilder } from "@stellar/stellar-sdk/base"
import type { Json } from "./TamperingNode.ts"

const contractId = "CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75"

/** The contract of an asset, by which tests let others hold something. */
export const contract = contractId

/**
 * What Horizon says of a call of a contract, which the local network does not have: written over what it says of another transaction
 * of one operation, so that it stands in a ledger. The envelope is signed, and gives the hash.
 */
export const callOver = (networkPassphrase: string, caller: Keypair, memo: Memo = Memo.none()) => {
  const transaction = new TransactionBuilder(new Account(caller.publicKey(), "1"), { fee: "100", networkPassphrase })
    .addOperation(new Contract(contractId).call("transfer"))
    .addMemo(memo)
    .setTimeout(0)
    .build()
  transaction.sign(caller)
  const hash = Buffer.from(transaction.hash()).toString("hex")
  return {
    hash,
    transaction: (record: Json): Json => ({ ...record, id: hash, hash, envelope_xdr: transaction.toXdr() }),
    operation: (record: Json, changes: unknown): Json => ({
      ...record,
      type: "invoke_host_function",
      type_i: 24,
      transaction_hash: hash,
      function: "HostFunctionTypeHostFunctionTypeInvokeContract",
      parameters: [],
      address: "",
      salt: "",
      asset_balance_changes: changes
    })
  }
}
