import { hexToBytes } from "@noble/hashes/utils.js"
import { Effect, Result, Schema } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { Node } from "../rpc/Node.ts"
import { decoded, inconsistent, unreachable } from "../rpc/NodeAnswer.ts"
import { orUnreachable } from "../read/readHeader.ts"
import type { Scope } from "../rpc/Rpc.ts"
import { Units } from "../rpc/wire.ts"
import { addressWord, transferArguments } from "@bursar/network-kit/Token"

/** How a call would end. */
export type Called =
  | { readonly _tag: "Returned"; readonly output: string; readonly energy: bigint }
  | { readonly _tag: "Reverted"; readonly reason: string }

const Answer = Schema.Struct({
  result: Schema.Struct({
    result: Schema.optionalKey(Schema.Boolean),
    code: Schema.optionalKey(Schema.String),
    message: Schema.optionalKey(Schema.String)
  }),
  energy_used: Schema.optionalKey(Units),
  constant_result: Schema.optionalKey(Schema.Array(Schema.String)),
  transaction: Schema.optionalKey(
    Schema.Struct({
      ret: Schema.optionalKey(Schema.Array(Schema.Struct({ ret: Schema.optionalKey(Schema.String) })))
    })
  )
})

const errorShape = /^08c379a00{62}20[0-9a-f]{56}([0-9a-f]{8})((?:[0-9a-f]{2})*)$/u

/** The text of hexadecimal, as nodes write some of their messages; what is none stays as it is. */
export const textOf = (hex: string): string =>
  /^(?:[0-9a-f]{2})+$/u.test(hex)
    ? Result.getOrElse(
        Result.try(() => new TextDecoder("utf-8", { fatal: true }).decode(hexToBytes(hex))),
        () => hex
      )
    : hex

/** What a contract says of its reverting. */
const reasonIn = (output: string): string | undefined => {
  const [, length = "0", text = ""] = errorShape.exec(output) ?? []
  const reason = textOf(text.slice(0, 2 * Number.parseInt(length, 16)))
  return reason === "" ? undefined : reason
}

/**
 * Runs a call without a transaction, on the state of a scope: java-tron counts with the newest blocks what waits for one. Addresses have 21 bytes in hexadecimal;
 * `parameter` is the encoded arguments.
 */
export const constantCall = Effect.fn("TronSender.constantCall")(function* (
  node: Node,
  scope: Scope,
  call: { readonly owner: string; readonly contract: string; readonly signature: string; readonly parameter: string }
): Effect.fn.Return<Called, ChainError> {
  const doing = `try ${call.signature} of ${call.contract}`
  const answer = yield* orUnreachable(
    node.http.call(doing, scope, "triggerconstantcontract", {
      owner_address: call.owner,
      contract_address: call.contract,
      function_selector: call.signature,
      parameter: call.parameter
    })
  )
  const {
    constant_result: [output = ""] = [],
    energy_used: energy = 0,
    result,
    transaction
  } = yield* decoded(doing, Answer, answer)
  const message = textOf(result.message ?? "")
  if (result.code !== undefined && result.code !== "SUCCESS") {
    return yield* unreachable(doing, `${result.code}: ${message}`)
  }
  if (message !== "" || transaction?.ret?.some(({ ret }) => ret === "FAILED") === true) {
    return { _tag: "Reverted", reason: reasonIn(output) ?? (message === "" ? "it reverted" : message) }
  }
  if (result.result !== true || BigInt(energy) === 0n)
    return yield* inconsistent(doing, "the call neither ran nor failed")
  return { _tag: "Returned", output, energy: BigInt(energy) }
})

const wordShape = /^[0-9a-f]{64}$/u

/** What an address holds of a token by the blocks that cannot be replaced, or with all that waits (`wallet`). */
export const readTokenBalance = Effect.fn("TronSender.readTokenBalance")(function* (
  node: Node,
  contract: string,
  address: string,
  scope: Scope = "walletsolidity"
): Effect.fn.Return<bigint, ChainError> {
  const parameter = addressWord(address)
  const called = yield* constantCall(node, scope, {
    owner: address,
    contract,
    signature: "balanceOf(address)",
    parameter
  })
  return called._tag === "Returned" && wordShape.test(called.output)
    ? BigInt(`0x${called.output}`)
    : yield* inconsistent(`read the balance of ${address}`, "the contract does not say what it holds")
})

/** How a transfer of a token would end after all that waits. USDT returns false although it transfers, so what is returned says nothing. */
export const tryTransfer = (
  node: Node,
  transfer: { readonly owner: string; readonly contract: string; readonly to: string; readonly units: bigint }
): Effect.Effect<Called, ChainError> =>
  constantCall(node, "wallet", {
    owner: transfer.owner,
    contract: transfer.contract,
    signature: "transfer(address,uint256)",
    parameter: transferArguments(transfer.to, transfer.units)
  })

/** How the pinned tokens call the question whether an address is blacklisted: USDT, then USDC. */
const blacklists = ["isBlackListed(address)", "isBlacklisted(address)"]

/** Whether the issuer has blacklisted an address; false where the token has no such list. */
export const isBlacklisted = Effect.fn("TronSender.isBlacklisted")(function* (
  node: Node,
  contract: string,
  address: string
): Effect.fn.Return<boolean, ChainError> {
  const parameter = addressWord(address)
  for (const signature of blacklists) {
    const called = yield* constantCall(node, "wallet", { owner: address, contract, signature, parameter })
    if (called._tag === "Returned" && wordShape.test(called.output)) return BigInt(`0x${called.output}`) !== 0n
  }
  return false
})
