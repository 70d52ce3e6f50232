import type { SendOrder, SignedAttempt } from "@bursar/core/port/ChainSender"
import { type EvmNetwork, type EvmSenderOptions, makeEvmSender } from "@bursar/evm"
import { Effect, Redacted } from "effect"
import { bytesToHex, hexToBytes } from "viem"
import { hashAuthorization } from "viem/utils"
import { digestOf, type Draft } from "../../src/internal/build/Draft.ts"
import { encodeSigned } from "../../src/internal/build/SignedTransaction.ts"
import { hashOf, quantity, token } from "./blocks.ts"
import { makeKeys } from "./keys.ts"
import { type ScriptedNode, scriptedNode } from "./ScriptedNode.ts"

const keys = makeKeys()

/** The payer of these tests. */
export const from = keys.create()

/** Their receiver. */
export const to = keys.create()

/** In wei. */
export const gwei = 1_000_000_000n

/** A signed transaction at nonce 5 that pays 1,000 wei, unless it is changed. */
export const signed = (change: Partial<Draft> = {}): SignedAttempt => {
  const draft: Draft = {
    from,
    chainId: 1,
    nonce: 5n,
    to,
    value: 1_000n,
    data: "0x",
    gas: 21_000n,
    maxFeePerGas: 30n * gwei,
    maxPriorityFeePerGas: gwei,
    ...change
  }
  const { bytes, recovery } = keys.sign(draft.from, digestOf(draft))
  return { ...encodeSigned(draft, { bytes, yParity: recovery === 1 ? 1 : 0 }), validUntil: null }
}

/** An authorization (EIP-7702) as a node tells it, signed by an account: the payer, unless another one is named. */
export const authorization = (nonce: number, by = from) => {
  const fields = { chainId: 1, address: token, nonce } as const
  const { bytes, recovery } = keys.sign(by, hexToBytes(hashAuthorization(fields)))
  return {
    chainId: quantity(1),
    address: token,
    nonce: quantity(nonce),
    yParity: quantity(recovery === 1 ? 1 : 0),
    r: bytesToHex(bytes.slice(0, 32)),
    s: bytesToHex(bytes.slice(32))
  }
}

/** Nonce 5 of the payer. */
export const order: Pick<SendOrder, "from" | "guard"> = {
  from,
  guard: { _tag: "Sequence", account: from, sequence: 5n }
}

/** An order of 1,000 wei at nonce 5, unless it is changed. */
export const payment = (change: Partial<SendOrder> = {}): SendOrder => ({
  ...order,
  payments: [{ to, contract: null, units: 1_000n, memo: null }],
  validUntil: 0,
  salt: 0,
  drain: false,
  replacing: null,
  ...change
})

/** A chain of 21 blocks, the newest 20 and 10 final; the account has made 5 transactions, and what it sends is unknown. */
const serveChain = (node: ScriptedNode) => {
  node.answer("eth_getBlockByNumber", ([tag]) => {
    const number = tag === "latest" ? 20 : tag === "finalized" ? 10 : Number(tag)
    return number > 20
      ? null
      : {
          number: quantity(number),
          hash: hashOf(1_000 + number),
          parentHash: hashOf(999 + number),
          timestamp: quantity(1_700_000_000 + number),
          baseFeePerGas: quantity(10n * gwei)
        }
  })
  node.answer("eth_getTransactionCount", () => "0x5")
  node.answer("eth_getTransactionByHash", () => null)
  node.answer("eth_getTransactionReceipt", () => null)
  node.answer("eth_getBalance", () => quantity(10n ** 18n))
  node.answer("eth_maxPriorityFeePerGas", () => quantity(gwei))
  node.answer("eth_estimateGas", () => "0x5208")
  node.answer("eth_getCode", () => "0x6000")
  node.answer("eth_call", () => hashOf(1))
}

/** Such a node, and a sender that asks it one thing at a time. */
export const setup = (options: Partial<EvmSenderOptions> = {}, network: EvmNetwork = "ethereum") =>
  Effect.gen(function* () {
    const node = yield* scriptedNode(network)
    serveChain(node)
    const rpcUrl = Redacted.make(node.url)
    const sender = makeEvmSender({ network, rpcUrl, contracts: [token], batchMax: 1, pricesTtlMs: 0, ...options })
    return { node, sender }
  })
