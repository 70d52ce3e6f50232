import { assert, describe, it as plainIt, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as BitcoinDevnet from "../src/BitcoinDevnet.ts"
import { tempDir } from "@bursar/simulator-kit/tempDir"
import { addresses, scripts, signed } from "./keys.ts"

class Devnet extends Context.Service<Devnet, BitcoinDevnet.BitcoinDevnet>()(
  "@bursar/simulator-bitcoin/test/bitcoin/Devnet"
) {
  static readonly layer = Layer.effect(Devnet, BitcoinDevnet.make())
}

interface Reply {
  readonly status: number
  readonly text: string
}

/** Sends a body as it is, with the credentials of the url or others. */
const post = (rpcUrl: string, body: string, credentials?: string, method = "POST") =>
  Effect.tryPromise(async (): Promise<Reply> => {
    const { origin, password, username } = new URL(rpcUrl)
    const authorization = `Basic ${Buffer.from(credentials ?? `${username}:${password}`).toString("base64")}`
    const init = method === "POST" ? { method, body } : { method }
    const response = await fetch(origin, { ...init, headers: { authorization } })
    return { status: response.status, text: await response.text() }
  })

/** A call as older clients make it; gives the result or the error. */
const callTo = (rpcUrl: string, method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.map(post(rpcUrl, JSON.stringify({ method, params, id: 1 })), ({ text }) => {
    // The tests look at what they expect.
    const { error, result } = JSON.parse(text)
    return error ?? result
  })

const call = (method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.flatMap(Devnet, ({ rpcUrl }) => callTo(rpcUrl, method, ...params))

const control = (method: string, path: string, body?: unknown) =>
  Effect.flatMap(Devnet, ({ controlUrl }) =>
    Effect.promise(async () => {
      const response = await fetch(`${controlUrl}${path}`, {
        method,
        headers: { "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return { status: response.status, body: JSON.parse(await response.text()) }
    })
  )

const unknownHash = "33".repeat(32)

layer(Devnet.layer, { excludeTestServices: true })("the RPC of the local bitcoin", (it) => {
  it.effect("asks for user and password", () =>
    Effect.gen(function* () {
      const { rpcUrl } = yield* Devnet
      const body = JSON.stringify({ method: "uptime", id: 1 })
      assert.deepStrictEqual(yield* post(rpcUrl, body, "bursar:wrong"), { status: 401, text: "" })
      assert.strictEqual((yield* post(rpcUrl, body)).status, 200)
      assert.strictEqual((yield* post(rpcUrl, "", undefined, "GET")).status, 405)
    })
  )

  it.effect("answers both versions of JSON-RPC, and batches, as Bitcoin Core does", () =>
    Effect.gen(function* () {
      const { rpcUrl } = yield* Devnet
      const out = '{"code":-8,"message":"Block height out of range"}'
      const exchanges: ReadonlyArray<readonly [string, number, string]> = [
        ['{"method":"getblockhash","params":[9999],"id":7}', 500, `{"result":null,"error":${out},"id":7}`],
        [
          '{"jsonrpc":"2.0","method":"getblockhash","params":[9999],"id":7}',
          200,
          `{"jsonrpc":"2.0","error":${out},"id":7}`
        ],
        ['{"jsonrpc":"2.0","method":"getblockcount"}', 204, ""],
        ["{bad", 500, '{"result":null,"error":{"code":-32700,"message":"Parse error"},"id":null}'],
        [
          '{"method":"nosuch","id":1}',
          404,
          '{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":1}'
        ],
        [
          '[{"method":"getblockhash","params":[9999],"id":7},{"method":"getblockcount","id":"a"}]',
          200,
          `[{"result":null,"error":${out},"id":7},{"result":130,"error":null,"id":"a"}]`
        ],
        [
          '{"method":"getblockhash","params":{"height":0},"id":1}',
          200,
          '{"result":"0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206","error":null,"id":1}'
        ]
      ]
      for (const [body, status, text] of exchanges) {
        assert.deepStrictEqual(yield* post(rpcUrl, body), { status, text }, body)
      }
    })
  )

  it.effect("refuses in Bitcoin Core's codes and words", () =>
    Effect.gen(function* () {
      const refusals: ReadonlyArray<readonly [number, string, string, ...ReadonlyArray<unknown>]> = [
        [-5, "Block not found", "getblock", unknownHash],
        [-5, "Block not found", "getblockheader", unknownHash],
        [-5, "Block not found", "invalidateblock", unknownHash],
        [-8, "blockhash must be of length 64 (not 2, for 'zz')", "getblock", "zz"],
        [-8, "Block height out of range", "getblockhash", -1],
        [
          -3,
          'Wrong type passed:\n{\n    "Position 1 (height)": "JSON value of type string is not of expected type number"\n}',
          "getblockhash",
          "1"
        ],
        [
          -5,
          "No such mempool or blockchain transaction. Use gettransaction for wallet transactions.",
          "getrawtransaction",
          unknownHash
        ],
        [-5, "Transaction not in mempool", "getmempoolentry", unknownHash],
        [-22, "TX decode failed. Make sure the tx has at least one input.", "sendrawtransaction", "00"],
        [-5, "Error: Invalid address", "generatetoaddress", 1, "hello"],
        [-5, "Address is not valid", "scantxoutset", "start", ["addr(hello)"]],
        [-8, "Invalid conf_target, must be between 1 and 1008", "estimatesmartfee", 0]
      ]
      for (const [code, message, method, ...params] of refusals) {
        assert.deepStrictEqual(yield* call(method, ...params), { code, message }, method)
      }
    })
  )

  it.effect("starts with coins that can be spent", () =>
    Effect.gen(function* () {
      const { faucet, funded } = yield* Devnet
      const { unspents } = yield* call("scantxoutset", "start", [`addr(${funded.address})`])
      const mature = unspents.filter((coin: { readonly confirmations: number }) => coin.confirmations >= 101)
      assert.isAtLeast(mature.length, 10)
      assert.isAbove(Number(yield* faucet.balance), 10 * 50 * 100_000_000)
    })
  )

  it.effect("takes a transaction from its arrival to its block and back", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      const txid = yield* faucet.send([{ address: addresses.p2wpkh, units: 5_000_000n }])
      const { hex, vout } = yield* call("getrawtransaction", txid, true)
      assert.deepStrictEqual(yield* call("getrawmempool"), [txid])
      assert.strictEqual((yield* call("getmempoolentry", txid)).fees.base > 0, true)
      const [input] = (yield* call("getrawtransaction", txid, true)).vin
      const spent = { txid: input.txid, vout: input.vout }
      const free = { txid, vout: 0 }
      assert.deepStrictEqual(yield* call("gettxspendingprevout", [spent, free]), [
        { ...spent, spendingtxid: txid },
        free
      ])
      const { txindex } = yield* call("getindexinfo")
      assert.deepStrictEqual(txindex, { synced: true, best_block_height: yield* call("getblockcount") })
      assert.strictEqual(yield* call("sendrawtransaction", hex), txid)
      assert.strictEqual((yield* call("testmempoolaccept", [hex]))[0]["reject-reason"], "txn-already-in-mempool")

      const [hash] = yield* call("generatetoaddress", 1, addresses.p2tr)
      assert.deepInclude(yield* call("sendrawtransaction", hex), { code: -27 })
      const block = yield* call("getblock", hash, 3)
      assert.strictEqual(block.tx[1].txid, txid)
      assert.strictEqual(block.tx[1].vin[0].prevout.scriptPubKey.address, faucet.address)
      assert.deepInclude(yield* call("getrawtransaction", txid, true), { blockhash: hash, confirmations: 1 })
      assert.deepInclude(yield* call("gettxout", txid, 0), { confirmations: 1, coinbase: false })

      const spending = signed(
        [{ txid, vout: 0, value: 5_000_000n, kind: "p2wpkh", hex }],
        [{ script: scripts.p2tr, value: 4_999_000n }]
      )
      assert.strictEqual(vout[0].scriptPubKey.address, addresses.p2wpkh)
      assert.strictEqual(yield* call("sendrawtransaction", spending.hex), spending.txid)
      assert.isNull(yield* call("gettxout", txid, 0))
      assert.deepInclude(yield* call("gettxout", txid, 0, false), { confirmations: 1 })
      yield* call("generatetoaddress", 1, addresses.p2wpkh)
      const conflict = signed(
        [{ txid, vout: 0, value: 5_000_000n, kind: "p2wpkh", hex }],
        [{ script: scripts.p2pkh, value: 4_990_000n }]
      )
      assert.deepStrictEqual(yield* call("sendrawtransaction", conflict.hex), {
        code: -25,
        message: "bad-txns-inputs-missingorspent"
      })

      yield* call("invalidateblock", hash)
      assert.sameMembers(yield* call("getrawmempool"), [txid, spending.txid])
      assert.strictEqual((yield* call("getblockheader", hash)).confirmations, -1)
      const lost = yield* call("getrawtransaction", txid, true)
      assert.isUndefined(lost.blockhash)
      yield* call("generateblock", addresses.p2wpkh, [])
      yield* call("reconsiderblock", hash)
      assert.isAbove((yield* call("getblockheader", hash)).confirmations, 0)
    })
  )

  it.effect("names the lost block of a transaction, without confirmations", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      const txid = yield* faucet.send([{ address: addresses.p2wpkh, units: 6_000_000n }])
      const [hash] = yield* faucet.mine(1)
      yield* faucet.reorg(1, false)
      const lost = yield* call("getrawtransaction", txid, true)
      assert.deepStrictEqual([lost.blockhash, lost.confirmations, lost.time], [hash, 0, undefined])
      const tips: ReadonlyArray<{ readonly hash: string; readonly status: string }> = yield* call("getchaintips")
      assert.strictEqual(tips.find((tip) => tip.hash === hash)?.status, "invalid")
    })
  )

  it.effect("refuses a block of transactions that cannot be in one", () =>
    Effect.gen(function* () {
      const { funded } = yield* Devnet
      const gone = signed(
        [{ txid: unknownHash, vout: 0, value: 5_000n, kind: "p2wpkh", hex: "" }],
        [{ script: scripts.p2tr, value: 4_000n }]
      )
      const before = yield* call("getbestblockhash")
      const { code, message } = yield* call("generateblock", funded.address, [gone.hex])
      assert.strictEqual(code, -25)
      assert.match(message, /^TestBlockValidity failed: bad-txns-inputs-missingorspent/u)
      assert.strictEqual(yield* call("getbestblockhash"), before)
    })
  )
})

layer(Devnet.layer, { excludeTestServices: true })("the faults of the local bitcoin", (it) => {
  const inject = (fault: object) => control("POST", "/fault", fault)

  it.effect("break the connection, before the node sees the call or after", () =>
    Effect.gen(function* () {
      const { faucet, node, rpcUrl } = yield* Devnet
      yield* faucet.send([{ address: addresses.p2wpkh, units: 5_000_000n }])
      const hex = [...node.mempool.entries.values()][0]!.hex
      node.mempool.drop([...node.mempool.entries.keys()])
      yield* inject({ kind: "drop", times: 1 })
      yield* Effect.flip(callTo(rpcUrl, "sendrawtransaction", hex))
      assert.strictEqual(node.mempool.entries.size, 0)
      yield* inject({ kind: "lost_reply", times: 1, method: "sendrawtransaction" })
      yield* Effect.flip(callTo(rpcUrl, "sendrawtransaction", hex))
      assert.strictEqual(node.mempool.entries.size, 1)
    })
  )

  it.effect("answer empty, refuse, or lie about types", () =>
    Effect.gen(function* () {
      const { rpcUrl } = yield* Devnet
      yield* inject({ kind: "empty", times: 2 })
      assert.isNull(yield* call("getblockchaininfo"))
      assert.deepStrictEqual(yield* call("getrawmempool"), [])
      yield* inject({ kind: "refuse", times: 1, method: ["getblockcount"] })
      assert.strictEqual((yield* call("getbestblockhash")).length, 64)
      assert.deepStrictEqual(yield* call("getblockcount"), { code: -28, message: "Loading block index…" })
      yield* inject({ kind: "refuse", times: 1, error_code: -1, error_message: "no" })
      assert.deepStrictEqual(yield* call("getblockcount"), { code: -1, message: "no" })
      yield* inject({ kind: "garbage", times: 1, garbage: "wrong_types" })
      assert.deepStrictEqual(yield* call("getbestblockhash"), { unexpected: true })
      yield* inject({ kind: "garbage", times: 1, garbage: "invalid_json" })
      assert.match((yield* post(rpcUrl, '{"method":"uptime"}')).text, /^<html>/u)
      yield* inject({ kind: "garbage", times: 1 })
      yield* Effect.flip(post(rpcUrl, '{"method":"getblockchaininfo","id":1}'))
    })
  )

  it.effect("lag: the blocks above do not exist", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      const height = yield* call("getblockcount")
      const txid = yield* faucet.send([{ address: addresses.p2tr, units: 5_000_000n }])
      const [hash] = yield* faucet.mine(1)
      yield* inject({ kind: "lag", times: 100, lag_blocks: 1 })
      assert.strictEqual(yield* call("getblockcount"), height)
      assert.deepInclude(yield* call("getblockchaininfo"), { blocks: height })
      assert.deepInclude(yield* call("getblockhash", height + 1), { code: -8 })
      assert.deepInclude(yield* call("getblock", hash), { code: -5 })
      assert.deepInclude(yield* call("getrawtransaction", txid), { code: -5 })
      assert.isNull(yield* call("gettxout", txid, 0))
      assert.isUndefined((yield* call("getblockheader", yield* call("getbestblockhash"))).nextblockhash)
      yield* inject({ kind: "none" })
      assert.strictEqual(yield* call("getblockcount"), height + 1)
    })
  )

  it.effect("take a transaction twice, and wait", () =>
    Effect.gen(function* () {
      const { faucet, node } = yield* Devnet
      yield* faucet.send([{ address: addresses.p2wpkh, units: 7_000_000n }])
      const { hex, txid } = [...node.mempool.entries.values()].at(-1)!
      node.mempool.drop([txid])
      yield* inject({ kind: "duplicate", times: 1 })
      yield* inject({ kind: "delay", times: 1, delay_ms: 1 })
      assert.strictEqual(yield* call("sendrawtransaction", hex), txid)
      assert.isTrue(node.mempool.entries.has(txid))
      assert.deepStrictEqual((yield* control("GET", "/state")).body.faults, [])
    })
  )
})

layer(Devnet.layer, { excludeTestServices: true })("the controls of the local bitcoin", (it) => {
  it.effect("mine and fund by decimal amounts", () =>
    Effect.gen(function* () {
      const before = yield* call("getblockcount")
      const { body } = yield* control("POST", "/fund", { address: addresses.p2tr, asset: "BTC", amount: "0.00054321" })
      assert.isNull(body.block_number)
      const mined = yield* control("POST", "/mine", { count: 2 })
      assert.strictEqual(mined.body.latest.number, before + 2)
      const { unspents } = yield* call("scantxoutset", "start", [`addr(${addresses.p2tr})`])
      assert.deepStrictEqual(
        unspents.map((coin: { readonly txid: string; readonly amount: number }) => [coin.txid, coin.amount]),
        [[body.tx_hash, 0.00054321]]
      )
    })
  )

  it.effect("fund more than one coin holds", () =>
    Effect.gen(function* () {
      const { body } = yield* control("POST", "/fund", { address: addresses.p2sh, asset: "BTC", amount: "321" })
      assert.isAbove((yield* call("getrawtransaction", body.tx_hash, true)).vin.length, 6)
    })
  )

  it.effect("replace blocks, with or without their transactions", () =>
    Effect.gen(function* () {
      const { body } = yield* control("POST", "/fund", { address: addresses.p2pkh, asset: "BTC", amount: "1" })
      yield* control("POST", "/mine", { count: 1 })
      const kept = yield* control("POST", "/reorg", { depth: 1, keep: true })
      assert.strictEqual(kept.body.before.number, kept.body.latest.number)
      assert.notStrictEqual(kept.body.before.hash, kept.body.latest.hash)
      assert.deepInclude(yield* call("getrawtransaction", body.tx_hash, true), { blockhash: kept.body.latest.hash })
      yield* control("POST", "/reorg", { depth: 1 })
      assert.isNull(yield* call("gettxout", body.tx_hash, 0))
      assert.notInclude(yield* call("getrawmempool"), body.tx_hash)
    })
  )

  it.effect("tell their state", () =>
    Effect.gen(function* () {
      const { body } = yield* control("GET", "/state")
      assert.deepInclude(body, {
        network: "bitcoin",
        chain: "regtest",
        latest: { number: yield* call("getblockcount"), hash: yield* call("getbestblockhash") }
      })
      assert.deepStrictEqual(body.assets, [{ asset: "BTC", contract: null, decimals: 8 }])
    })
  )

  it.effect("refuse what they do not understand", () =>
    Effect.gen(function* () {
      const fund = { address: addresses.p2wpkh, asset: "BTC", amount: "1" }
      for (const [path, body] of [
        ["/fund", { ...fund, asset: "ETH" }],
        ["/fund", { ...fund, address: "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu" }],
        ["/fund", { ...fund, amount: "0.000000001" }],
        ["/fund", { ...fund, amount: "0.00000001" }],
        ["/fund", { ...fund, amount: "0" }],
        ["/fund", { ...fund, amount: "1000000" }],
        ["/reorg", { depth: 9_999 }],
        ["/fault", { kind: "fire", times: 1 }]
      ] as const) {
        const { body: answer, status } = yield* control("POST", path, body)
        assert.deepStrictEqual([status, answer.error.code], [422, "invalid_request"], JSON.stringify(body))
      }
    })
  )
})

describe("a local bitcoin with a state file", () => {
  plainIt("goes on where it stopped: blocks, lost blocks, and what waits", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const stateFile = join(yield* tempDir, "deep", "bitcoin.json")
          const first = yield* Scope.make()
          const one = yield* Scope.provide(BitcoinDevnet.make({ stateFile }), first)
          const mined = yield* one.faucet.send([{ address: addresses.p2wpkh, units: 5_000_000n }])
          yield* one.faucet.mine(2)
          yield* one.faucet.reorg(1, true)
          const waits = yield* one.faucet.send([{ address: addresses.p2wpkh, units: 6_000_000n }])
          const tips = yield* callTo(one.rpcUrl, "getchaintips")
          yield* Scope.close(first, Exit.void)

          const other = yield* BitcoinDevnet.make({ stateFile })
          assert.deepStrictEqual(yield* callTo(other.rpcUrl, "getchaintips"), tips)
          assert.deepStrictEqual(yield* callTo(other.rpcUrl, "getrawmempool"), [waits])
          assert.isAbove((yield* callTo(other.rpcUrl, "getrawtransaction", mined, true)).confirmations, 0)
        })
      )
    )
  )

  plainIt("refuses a file that was cut short", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const stateFile = join(yield* tempDir, "bitcoin.json")
          yield* Effect.scoped(BitcoinDevnet.make({ stateFile }))
          const text = yield* Effect.promise(() => readFile(stateFile, "utf8"))
          yield* Effect.promise(() => writeFile(stateFile, text.slice(0, -100)))
          const error = yield* Effect.flip(BitcoinDevnet.make({ stateFile }))
          assert.strictEqual(error.code, "file_failed")
          assert.match(error.message, /damaged/u)
        })
      )
    )
  )

  plainIt("mines by itself if told to", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const { faucet, node, rpcUrl } = yield* BitcoinDevnet.make({ automine: true })
          const { height } = node.chain.tip()
          const txid = yield* faucet.send([{ address: addresses.p2wpkh, units: 5_000_000n }])
          assert.deepStrictEqual([node.chain.tip().height, node.mempool.entries.size], [height + 1, 0])
          const spending = signed(
            [{ txid, vout: 0, value: 5_000_000n, kind: "p2wpkh", hex: "" }],
            [{ script: scripts.p2tr, value: 4_999_000n }]
          )
          assert.strictEqual(yield* callTo(rpcUrl, "sendrawtransaction", spending.hex), spending.txid)
          assert.strictEqual(node.chain.tip().height, height + 2)
        })
      )
    )
  )
})
