/**
 * Records what real nodes answer about one block, for tests that read it without a node: `GETH=… node scripts/recordAnswers.ts`.
 * The block has a plain transfer, a transfer of a token, and coin that a contract sends on to two receivers.
 */
import { type Rpc, toHex } from "@bursar/simulator-evm/Rpc"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import { splitterAbi, tokenAbi } from "@bursar/simulator-evm/abis"
import * as EvmDevnet from "@bursar/simulator-evm/EvmDevnet"
import { canonicalTokens, contracts } from "@bursar/simulator-evm/tokens"
import { Effect } from "effect"
import { writeFile } from "node:fs/promises"
import { encodeFunctionData } from "viem"
import { moveTracer } from "../src/internal/read/moveTracer.ts"
import { GethWorld } from "../test/support/GethWorld.ts"

const [token] = canonicalTokens.ethereum
if (token === undefined) throw new Error("ethereum has a token")
const receivers = [1, 2, 3, 4].map((serial): Hex => `0x5a${serial.toString(16).padStart(38, "0")}`)
const [plain, holder, ...split] = receivers as [Hex, Hex, ...Array<Hex>]

const steps = [
  { to: plain, units: 5n, data: "0x" as Hex },
  {
    to: token.address,
    units: 0n,
    data: encodeFunctionData({ abi: tokenAbi, functionName: "mint", args: [holder, 7n] })
  },
  {
    to: contracts.splitter,
    units: 9n,
    data: encodeFunctionData({ abi: splitterAbi, functionName: "split", args: [split, [4n, 5n]] })
  }
] as const

/** The result of a call, or the error that the node answered with. */
const said = (rpc: Rpc, method: string, params: ReadonlyArray<unknown>) =>
  Effect.match(rpc(method, params), {
    onSuccess: (result) => ({ result }),
    onFailure: ({ message }) => ({ error: message })
  })

const record = Effect.fnUntraced(function* (rpc: Rpc, name: string) {
  const block = yield* rpc<{ readonly hash: Hex; readonly number: Hex; readonly transactions: ReadonlyArray<Hex> }>(
    "eth_getBlockByNumber",
    ["latest", false]
  )
  const unknown = `0x${"ee".repeat(32)}`
  const [first] = block.transactions
  const answers = {
    block: yield* said(rpc, "eth_getBlockByHash", [block.hash, true]),
    receipts: yield* said(rpc, "eth_getBlockReceipts", [block.hash]),
    calls: yield* said(rpc, "debug_traceBlockByHash", [block.hash, { tracer: "callTracer" }]),
    moves: yield* said(rpc, "debug_traceBlockByHash", [block.hash, { tracer: moveTracer }]),
    changes: yield* said(rpc, "debug_traceTransaction", [
      first,
      { tracer: "prestateTracer", tracerConfig: { diffMode: true } }
    ]),
    unknownBlock: yield* said(rpc, "eth_getBlockByHash", [unknown, true]),
    unknownReceipts: yield* said(rpc, "eth_getBlockReceipts", [unknown]),
    unknownTraces: yield* said(rpc, "debug_traceBlockByHash", [unknown, { tracer: "callTracer" }]),
    beyondTip: yield* said(rpc, "eth_getBlockByNumber", [toHex(Number(block.number) + 1_000), false]),
    missingMethod: yield* said(rpc, "trace_noSuchMethod", [])
  }
  const origin = {
    client: yield* rpc<string>("web3_clientVersion"),
    recorded: new Date().toISOString().slice(0, 10),
    by: "packages/networks/evm/scripts/recordAnswers.ts"
  }
  const file = new URL(`../test/recorded/${name}.json`, import.meta.url)
  yield* Effect.promise(() => writeFile(file, `${JSON.stringify({ origin, ...answers }, undefined, 2)}\n`))
})

const geth = Effect.gen(function* () {
  const { node, pay } = yield* GethWorld
  for (const { data, to, units } of steps) yield* pay(to, units, data)
  yield* node.mine
  yield* record(node.rpc, "geth")
}).pipe(Effect.provide(GethWorld.layer))

const anvil = Effect.gen(function* () {
  const { faucet } = yield* EvmDevnet.make({ network: "ethereum" })
  yield* faucet.setAutomine(false)
  for (const { data, to, units } of steps) yield* faucet.call(to, data, units)
  yield* faucet.mine(1)
  yield* record(faucet.rpc, "anvil")
})

if (import.meta.main) await Effect.runPromise(Effect.scoped(Effect.andThen(geth, anvil)))
