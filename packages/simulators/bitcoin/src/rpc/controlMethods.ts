import { rawNumber } from "../bytes.ts"
import type { Coin } from "../ChainState.ts"
import { outpoint, decodeTx, type Tx } from "../Tx.ts"
import { codes, RpcError } from "../RpcError.ts"
import { scriptOf } from "../scripts.ts"
import { verifyInput } from "../verifyInput.ts"
import type { Context, Method } from "./Method.ts"
import { hashOf, listOf, numberOf, textOf } from "./parameters.ts"

const blocksMax = 10_000
const subversion = "/Satoshi:29.0.0(bursar-devnet)/"

const payee = (text: string, words: string): Uint8Array => {
  const script = scriptOf(text)
  if (script === undefined) throw new RpcError(codes.invalidAddressOrKey, words)
  return script
}

const named = ({ node }: Context, one: unknown): Tx => {
  const text = typeof one === "string" ? one : ""
  if (/^[0-9a-f]{64}$/iu.test(text)) {
    const waiting = node.mempool.entries.get(text.toLowerCase())
    if (waiting === undefined) throw new RpcError(codes.invalidAddressOrKey, `Transaction ${text} not in mempool.`)
    return waiting
  }
  const tx = decodeTx(text)
  if (tx === undefined)
    throw new RpcError(
      codes.deserialization,
      `Transaction decode failed for ${text}. Make sure the tx has at least one input.`
    )
  return tx
}

/** What the transactions of a block to be pay in fees, if they may stand in it in this order. */
const feesOf = ({ node }: Context, transactions: ReadonlyArray<Tx>): bigint => {
  const made = new Map<string, Coin>()
  const spent = new Set<string>()
  const height = node.chain.tip().height + 1
  let fees = 0n
  const refuse = (reason: string, { txid }: Tx) =>
    new RpcError(codes.verify, `TestBlockValidity failed: ${reason} in transaction ${txid}`)
  for (const tx of transactions) {
    const coins = tx.spends.map((key) => (spent.has(key) ? undefined : (made.get(key) ?? node.chain.coins.get(key))))
    const found = coins.filter((coin) => coin !== undefined)
    const missing = "bad-txns-inputs-missingorspent, CheckTxInputs: inputs missing/spent"
    if (found.length !== coins.length) throw refuse(missing, tx)
    const immature = found.some((coin) => coin.coinbase && height - coin.height < 100)
    if (immature) throw refuse("bad-txns-premature-spend-of-coinbase, tried to spend coinbase too early", tx)
    const wrong = tx.transaction.ins
      .map((_, input) => verifyInput(tx.transaction, input, found))
      .find((one) => one !== undefined)
    if (wrong !== undefined) throw refuse(`mandatory-script-verify-flag-failed (${wrong})`, tx)
    const paid = tx.transaction.outs.reduce((sum, { value }) => sum + value, 0n)
    const fee = found.reduce((sum, { value }) => sum + value, 0n) - paid
    if (fee < 0n) throw refuse("bad-txns-in-belowout", tx)
    fees += fee
    tx.spends.forEach((key) => spent.add(key))
    tx.transaction.outs.forEach(({ script, value }, vout) =>
      made.set(outpoint(tx.txid, vout), { script, value, height, coinbase: false })
    )
  }
  return fees
}

const moved = (done: boolean): null => {
  if (!done) throw new RpcError(codes.invalidAddressOrKey, "Block not found")
  return null
}

/** What moves the chain, and what tells about the node itself. */
export const controlMethods: Readonly<Record<string, Method>> = {
  generatetoaddress: {
    parameters: ["nblocks", "address", "maxtries"],
    required: 2,
    run: ({ node, now }, params) => {
      const count = numberOf({ params, at: 0, name: "nblocks" })
      if (count > blocksMax) throw new RpcError(codes.invalidParameter, `no more than ${blocksMax} blocks at once`)
      const script = payee(textOf({ params, at: 1, name: "address" }), "Error: Invalid address")
      return node.mine(Math.max(0, count), script, now)
    }
  },
  generateblock: {
    parameters: ["output", "transactions"],
    required: 2,
    run: (context, params) => {
      const script = payee(textOf({ params, at: 0, name: "output" }), "Error: Invalid address or descriptor")
      const transactions = listOf({ params, at: 1, name: "transactions" }).map((one) => named(context, one))
      return { hash: context.node.mineOnly(transactions, feesOf(context, transactions), script, context.now) }
    }
  },
  invalidateblock: {
    parameters: ["blockhash"],
    required: 1,
    run: ({ node, now }, params) =>
      moved(node.invalidate(hashOf({ params, at: 0, name: "blockhash" }, "blockhash"), now))
  },
  reconsiderblock: {
    parameters: ["blockhash"],
    required: 1,
    run: ({ node, now }, params) =>
      moved(node.reconsider(hashOf({ params, at: 0, name: "blockhash" }, "blockhash"), now))
  },
  uptime: { parameters: [], required: 0, run: ({ now, started }) => Math.max(0, now - started) },
  getnetworkinfo: {
    parameters: [],
    required: 0,
    run: () => ({
      version: 290_000,
      subversion,
      protocolversion: 70_016,
      localservices: "0000000000000c09",
      localservicesnames: ["NETWORK", "WITNESS", "NETWORK_LIMITED", "P2P_V2"],
      localrelay: true,
      timeoffset: 0,
      networkactive: true,
      connections: 0,
      connections_in: 0,
      connections_out: 0,
      networks: ["ipv4", "ipv6", "onion", "i2p", "cjdns"].map((name) => ({
        name,
        limited: !name.startsWith("ip"),
        reachable: name.startsWith("ip"),
        proxy: "",
        proxy_randomize_credentials: false
      })),
      relayfee: rawNumber("0.00001000"),
      incrementalfee: rawNumber("0.00001000"),
      localaddresses: [],
      warnings: []
    })
  }
}
