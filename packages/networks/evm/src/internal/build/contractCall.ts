import { Effect } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { Rpc } from "../rpc/Rpc.ts"
import { decoded, inconsistent, type NodeRefusal } from "../rpc/NodeAnswer.ts"
import { Bytes, Quantity } from "../rpc/wire.ts"
import type { Hex } from "./Draft.ts"
import { balanceOfData } from "../rpc/tokenCall.ts"

/** A call as nodes simulate it. */
export interface Call {
  readonly from?: string
  readonly to: string
  readonly value?: bigint
  readonly data?: Hex
  /** The most that it may take; what the node allows where absent. */
  readonly gas?: bigint
}

/** The call in the words of JSON-RPC. */
export const wireCall = ({ data, from, gas, to, value }: Call): Readonly<Record<string, string>> => ({
  to,
  ...(from === undefined ? {} : { from }),
  ...(value === undefined ? {} : { value: `0x${value.toString(16)}` }),
  ...(gas === undefined ? {} : { gas: `0x${gas.toString(16)}` }),
  ...(data === undefined ? {} : { data })
})

const execution = /revert|invalid opcode|invalid jump|out of gas|gas required exceeds|stack (?:under|over)flow/iu

/** Whether the node says that the call, once executed, fails; not that it could not execute it. */
export const isRevert = ({ code, detail }: NodeRefusal): boolean => code === 3 || execution.test(detail)

/** Whether the node says that the payer has too little coin. */
export const isInsufficientFunds = ({ detail }: NodeRefusal): boolean =>
  /insufficient (?:funds|balance)|outoffunds/iu.test(detail)

/** What a contract answers in the newest block, as bytes. No contract at the address reads as none. */
export const callContract = (rpc: Rpc, doing: string, call: Call): Effect.Effect<string, ChainError | NodeRefusal> =>
  Effect.flatMap(rpc.call(doing, "eth_call", [wireCall(call), "latest"]), (answer) =>
    decoded(rpc.network, doing, Bytes, answer)
  )

/** The one number that a contract answers; `inconsistent` where it is not 32 bytes, as when nothing is at the address. */
export const callNumber = Effect.fnUntraced(function* (
  rpc: Rpc,
  doing: string,
  call: Call
): Effect.fn.Return<bigint, ChainError | NodeRefusal> {
  const answer = yield* callContract(rpc, doing, call)
  return answer.length === 66
    ? BigInt(answer)
    : yield* inconsistent(rpc.network, doing, `${call.to} answered with ${answer.length / 2 - 1} bytes, not 32`)
})

/** What an address holds of a contract's asset (null: of coin) in the newest block. */
export const readBalance = Effect.fn("EvmSender.readBalance")(function* (
  rpc: Rpc,
  address: string,
  contract: string | null
): Effect.fn.Return<bigint, ChainError | NodeRefusal> {
  const doing = `read the balance of ${address}`
  if (contract !== null) return yield* callNumber(rpc, doing, { to: contract, data: balanceOfData(address) })
  const answer = yield* rpc.call(doing, "eth_getBalance", [address, "latest"])
  return BigInt(yield* decoded(rpc.network, doing, Quantity, answer))
})

/** How much gas a call takes, as the node finds by executing it. */
export const estimateGas = (rpc: Rpc, doing: string, call: Call): Effect.Effect<bigint, ChainError | NodeRefusal> =>
  Effect.flatMap(rpc.call(doing, "eth_estimateGas", [wireCall(call)]), (answer) =>
    Effect.map(decoded(rpc.network, doing, Quantity, answer), BigInt)
  )
