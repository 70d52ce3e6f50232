import { makeBitcoinReader } from "@bursar/bitcoin/Reader"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { ChainReader } from "@bursar/core/port/Chain"
import { makeEvmReader } from "@bursar/evm/Reader"
import * as BitcoinDevnet from "@bursar/simulator-bitcoin/BitcoinDevnet"
import { splitterAbi } from "@bursar/simulator-evm/abis"
import * as EvmDevnet from "@bursar/simulator-evm/EvmDevnet"
import { canonicalTokens, contracts as evmContracts } from "@bursar/simulator-evm/tokens"
import type { DevnetError } from "@bursar/simulator-kit/DevnetError"
import * as StellarDevnet from "@bursar/simulator-stellar/StellarDevnet"
import * as TronDevnet from "@bursar/simulator-tron/TronDevnet"
import { tokens as tronTokens } from "@bursar/simulator-tron/contracts"
import { makeStellarReader } from "@bursar/stellar/Reader"
import { makeTronReader } from "@bursar/tron/Reader"
import { Asset, Horizon, Keypair, Operation, TransactionBuilder } from "@stellar/stellar-sdk"
import { address as bitcoinAddress, Block, networks as bitcoinNetworks } from "bitcoinjs-lib"
import { Effect, Redacted, type Scope } from "effect"
import { TronWeb } from "tronweb"
import {
  createPublicClient,
  encodeFunctionData,
  formatTransactionReceipt,
  http,
  type RpcTransactionReceipt
} from "viem"
import { makeReplay } from "./replay.ts"

/** A block as large as the main network's are, and two ways to read it from one node that answers from memory. */
export interface Shape {
  readonly network: string
  /** What stands in the block. */
  readonly holds: string
  readonly reader: ChainReader
  readonly hash: string
  /** The same answers by the network's client library alone. */
  readonly bare: () => Promise<unknown>
  /** What the node has said of the block, in bytes. */
  readonly bytes: () => number
}

/** Long enough for the real node, whose answers are asked for once. */
const slowMs = 300_000

const evmAddress = (n: number): `0x${string}` => `0x${(0xabcd_0000_0000 + n).toString(16).padStart(40, "5")}`

const evm = Effect.gen(function* () {
  const { faucet, rpcUrl } = yield* EvmDevnet.make({ network: "ethereum" })
  const [token] = canonicalTokens.ethereum
  if (token === undefined) return yield* Effect.die(new Error("ethereum has no token"))
  yield* faucet.rpc("evm_setBlockGasLimit", ["0x3b9aca00"])
  yield* faucet.mint(token, "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", 10n ** 12n)
  yield* faucet.setAutomine(false)
  const split = (n: number) =>
    encodeFunctionData({
      abi: splitterAbi,
      functionName: "split",
      args: [
        [evmAddress(n), evmAddress(n + 1)],
        [3n, 4n]
      ]
    })
  for (let n = 0; n < 50; n++) {
    yield* faucet.sendNative(evmAddress(n), 1n)
    for (const more of [1, 2]) yield* faucet.transfer(token, evmAddress(more * 1_000 + n), 1n)
    yield* faucet.call(evmContracts.splitter, split(10_000 + n), 7n)
  }
  yield* faucet.mine(1)
  const block = yield* faucet.block("latest")
  const replay = yield* makeReplay(rpcUrl)
  const client = createPublicClient({ transport: http(replay.url, { retryCount: 0, timeout: slowMs }) })
  // viem types the answers of the methods that it has a use for; of these two it has none
  const ask = client.request as (call: { method: string; params: ReadonlyArray<unknown> }) => Promise<unknown>
  return {
    network: "ethereum",
    holds: `${block.transactions.length} transactions: coin, tokens, and contracts that send coin on`,
    reader: makeEvmReader({
      network: "ethereum",
      rpcUrl: Redacted.make(replay.url),
      contracts: canonicalTokens.ethereum.map(({ address }) => address.toLowerCase()),
      timeoutMs: slowMs
    }),
    hash: block.hash,
    bare: async () => {
      const read = await client.getBlock({ blockHash: block.hash, includeTransactions: true })
      const receipts = await ask({ method: "eth_getBlockReceipts", params: [block.hash] })
      const traces = await ask({ method: "debug_traceBlockByHash", params: [block.hash, { tracer: "callTracer" }] })
      // what nodes answer to `eth_getBlockReceipts`
      return [
        read,
        (receipts as ReadonlyArray<RpcTransactionReceipt>).map((one) => formatTransactionReceipt(one)),
        traces
      ]
    },
    bytes: replay.bytes
  } satisfies Shape
})

const bitcoin = Effect.gen(function* () {
  const { faucet, rpcUrl } = yield* BitcoinDevnet.make({})
  const outputs = Array.from({ length: 600 }, () => ({ address: faucet.address, units: 10_000n }))
  for (let n = 0; n < 5; n++) yield* faucet.send(outputs)
  const [hash = ""] = yield* faucet.mine(1)
  const replay = yield* makeReplay(rpcUrl)
  const given = new URL(rpcUrl)
  const { password, username } = given
  const url = new URL(replay.url)
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`
  Object.assign(url, { username, password })
  const body = JSON.stringify({ jsonrpc: "1.0", id: 1, method: "getblock", params: [hash, 0] })
  return {
    network: "bitcoin",
    holds: "5 transactions with 3,000 outputs",
    reader: makeBitcoinReader({ chain: "regtest", rpcUrl: Redacted.make(url.href) }),
    hash,
    bare: async () => {
      const answer = await fetch(replay.url, { method: "POST", headers: { authorization }, body })
      const { result } = (await answer.json()) as { readonly result: string }
      const { transactions = [] } = Block.fromHex(result)
      return transactions.flatMap(({ outs }) =>
        outs.flatMap(({ script, value }) => {
          // what carries a commitment has no address
          if (script[0] === 0x6a) return []
          return [[bitcoinAddress.fromOutputScript(script, bitcoinNetworks.regtest), value]]
        })
      )
    },
    bytes: replay.bytes
  } satisfies Shape
})

const tron = Effect.gen(function* () {
  const { faucet, genesisBlockId, nodeUrl } = yield* TronDevnet.make({
    mining: "manual",
    solidifiedLag: 0
  })
  const [token] = tronTokens
  if (token === undefined) return yield* Effect.die(new Error("tron has no token"))
  for (let n = 0; n < 125; n++) {
    const to = `41${evmAddress(n).slice(2)}`
    yield* faucet.sendNative(to, 1_000n)
    yield* faucet.transfer(token, to, 1_000n)
  }
  yield* faucet.mine(1)
  const replay = yield* makeReplay(nodeUrl)
  const reader = makeTronReader({
    nodeUrl: Redacted.make(replay.url),
    contracts: defaultCurrencies.contracts("tron"),
    genesisBlockId
  })
  const { latest } = yield* Effect.orDie(reader.tip)
  const tronWeb = new TronWeb({ fullHost: replay.url })
  return {
    network: "tron",
    holds: "250 transactions: coin and tokens",
    reader,
    hash: latest.hash,
    bare: async () => [
      await tronWeb.trx.getBlockByNumber(latest.number),
      await tronWeb.fullNode.request("wallet/gettransactioninfobyblocknum", { num: latest.number }, "post")
    ],
    bytes: replay.bytes
  } satisfies Shape
})

/** As many operations as one transaction may have. */
const paymentsOfLedger = 100

const stellar = Effect.gen(function* () {
  const devnet = yield* StellarDevnet.make({ mining: "automine" })
  const { fundedAddress, fundedSecret, horizonUrl, networkPassphrase } = devnet
  const horizon = new Horizon.Server(horizonUrl, { allowHttp: true })
  const receiver = Keypair.random().publicKey()
  yield* devnet.faucet.pay(receiver, "native", 100_000_000n)
  const sequence = yield* Effect.promise(async () => {
    const options = { fee: "100000", networkPassphrase }
    const builder = new TransactionBuilder(await horizon.loadAccount(fundedAddress), options).setTimeout(0)
    for (let n = 0; n < paymentsOfLedger; n++)
      builder.addOperation(Operation.payment({ destination: receiver, asset: Asset.native(), amount: `${n + 1}` }))
    const transaction = builder.build()
    transaction.sign(Keypair.fromSecret(fundedSecret))
    return (await horizon.submitTransaction(transaction)).ledger
  })
  const replay = yield* makeReplay(horizonUrl)
  const reader = makeStellarReader({
    horizonUrl: Redacted.make(replay.url),
    networkPassphrase,
    assets: defaultCurrencies.contracts("stellar")
  })
  const { hash } = yield* Effect.orDie(reader.header(sequence))
  const server = new Horizon.Server(replay.url, { allowHttp: true })
  return {
    network: "stellar",
    holds: `${paymentsOfLedger} payments`,
    reader,
    hash,
    bare: async () => [
      await server.ledgers().ledger(sequence).call(),
      await server.transactions().forLedger(sequence).limit(200).call(),
      await server.operations().forLedger(sequence).limit(200).call()
    ],
    bytes: replay.bytes
  } satisfies Shape
})

/** A block of each kind of network. */
export const shapes: ReadonlyArray<Effect.Effect<Shape, DevnetError, Scope.Scope>> = [evm, bitcoin, tron, stellar]
