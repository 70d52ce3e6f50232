import { assert, it as bare, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { base58Of } from "../src/address.ts"
import * as TronDevnet from "../src/TronDevnet.ts"
import { tempDir } from "@bursar/simulator-kit/tempDir"
import { ask, attempt, Tron } from "./support.ts"

interface Place {
  readonly number: number
}

/** What the controls answer, by route. */
interface Answer {
  readonly latest: Place
  readonly finalized: Place
  readonly assets: ReadonlyArray<{ readonly asset: string }>
  readonly tx_hash: string
  readonly block_number: number
  readonly faults: ReadonlyArray<unknown>
  readonly error: { readonly message: string }
}

const control = (path: string, body?: object) =>
  Effect.flatMap(Tron, ({ devnet }) =>
    Effect.promise(async () => {
      const response = await fetch(`${devnet.controlUrl}${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      // Each test looks at what its route answers.
      return { status: response.status, body: (await response.json()) as Answer }
    })
  )

const head = Effect.map(Tron, ({ devnet }) => devnet.faucet.chain.head())

layer(Tron.layer(), { excludeTestServices: true })("the controls of the local tron network", (it) => {
  it.effect("mine, and tell where the chain stands", () =>
    Effect.gen(function* () {
      const before = yield* head
      const { body } = yield* control("/mine", { count: 4 })
      assert.strictEqual(body.latest.number, before.number + 4)
      const state = (yield* control("/state")).body
      assert.strictEqual(state.latest.number, before.number + 4)
      assert.strictEqual(state.finalized.number, before.number + 2)
      assert.deepStrictEqual(
        state.assets.map(({ asset }) => asset),
        ["TRX", "USDT_TRON", "USDC_TRON"]
      )
    })
  )

  it.effect("fund an address with each asset, by decimal amounts", () =>
    Effect.gen(function* () {
      const { devnet, stranger, wallet } = yield* Tron
      const address = yield* stranger
      for (const asset of ["TRX", "USDT_TRON", "USDC_TRON"]) {
        const { body, status } = yield* control("/fund", { address, asset, amount: "1.5" })
        assert.strictEqual(status, 200)
        assert.match(body.tx_hash, /^[0-9a-f]{64}$/u)
        assert.strictEqual(body.block_number, devnet.faucet.chain.head().number)
      }
      assert.strictEqual(yield* attempt(() => wallet.trx.getUnconfirmedBalance(address)), 1_500_000)
      for (const request of [
        { address, asset: "TRX", amount: "0.0000001" },
        { address, asset: "BTC", amount: "1" },
        { address: "nobody", asset: "TRX", amount: "1" }
      ]) {
        assert.strictEqual((yield* control("/fund", request)).status, 422)
      }
    })
  )

  it.effect("reorganise what is not solidified, and nothing else", () =>
    Effect.gen(function* () {
      const { devnet, stranger } = yield* Tron
      const address = yield* stranger
      const { body } = yield* control("/fund", { address, asset: "TRX", amount: "1" })
      const id = body.tx_hash
      const lost = yield* head
      assert.strictEqual((yield* control("/reorg", { depth: 1 })).status, 200)
      assert.deepStrictEqual(yield* ask(devnet.nodeUrl, "wallet/gettransactionbyid", { value: id }), {})
      assert.deepStrictEqual(yield* ask(devnet.nodeUrl, "wallet/getblockbyid", { value: lost.id }), {})
      const { number } = yield* head
      assert.strictEqual(number, lost.number)
      const refused = yield* control("/reorg", { depth: 3 })
      assert.strictEqual(refused.status, 422)
      assert.match(refused.body.error.message, /solidified/u)
    })
  )
})

layer(Tron.layer(), { excludeTestServices: true })("the faults of the local tron network", (it) => {
  const now = (url: string) => attempt(() => fetch(`${url}/wallet/getnowblock`).then((response) => response.json()))

  it.effect("break the connection, before or after the node took the request", () =>
    Effect.gen(function* () {
      const { devnet, stranger, wallet } = yield* Tron
      const to = yield* stranger
      yield* control("/fault", { kind: "drop", times: 1 })
      yield* Effect.flip(now(devnet.nodeUrl))
      yield* now(devnet.nodeUrl)
      for (const [kind, paid] of [
        ["drop", 0],
        ["lost_reply", 5]
      ] as const) {
        const unsigned = yield* attempt(() => wallet.transactionBuilder.sendTrx(to, 5))
        const signed = yield* attempt(() => wallet.trx.sign(unsigned))
        yield* control("/fault", { kind, times: 1, method: "broadcasttransaction" })
        yield* Effect.flip(attempt(() => wallet.trx.sendRawTransaction(signed)))
        assert.strictEqual(yield* attempt(() => wallet.trx.getUnconfirmedBalance(to)), paid)
      }
    })
  )

  it.effect("refuse in the words of a node that is busy, and answer twice", () =>
    Effect.gen(function* () {
      const { stranger, wallet } = yield* Tron
      const to = yield* stranger
      const unsigned = yield* attempt(() => wallet.transactionBuilder.sendTrx(to, 5))
      const signed = yield* attempt(() => wallet.trx.sign(unsigned))
      yield* control("/fault", { kind: "refuse", times: 1 })
      const busy = yield* attempt(() => wallet.trx.sendRawTransaction(signed))
      assert.strictEqual(String(busy.code), "SERVER_BUSY")
      assert.strictEqual(yield* attempt(() => wallet.trx.getUnconfirmedBalance(to)), 0)
      yield* control("/fault", { kind: "duplicate", times: 1 })
      const again = yield* attempt(() => wallet.trx.sendRawTransaction(signed))
      assert.strictEqual(String(again.code), "DUP_TRANSACTION_ERROR")
      assert.strictEqual(yield* attempt(() => wallet.trx.getUnconfirmedBalance(to)), 5)
    })
  )

  it.effect("answer with nothing, with the past, or with garbage", () =>
    Effect.gen(function* () {
      const { devnet } = yield* Tron
      yield* control("/mine", { count: 5 })
      const { number } = yield* head
      yield* control("/fault", { kind: "empty", times: 2 })
      assert.deepStrictEqual(yield* now(devnet.nodeUrl), {})
      assert.deepStrictEqual(
        yield* ask(devnet.nodeUrl, "wallet/gettransactioninfobyblocknum", { num: number }),
        [] as never
      )
      yield* control("/fault", { kind: "lag", times: 2, lag_blocks: 4 })
      assert.strictEqual((yield* now(devnet.nodeUrl)).block_header.raw_data.number, number - 4)
      assert.deepStrictEqual(yield* ask(devnet.nodeUrl, "wallet/getblockbynum", { num: number - 3 }), {})
      for (const garbage of ["truncated", "invalid_json"]) {
        yield* control("/fault", { kind: "garbage", times: 1, garbage })
        yield* Effect.flip(now(devnet.nodeUrl))
      }
      yield* control("/fault", { kind: "garbage", times: 1, garbage: "wrong_types" })
      assert.strictEqual((yield* now(devnet.nodeUrl)).block_header, "unexpected")
      yield* control("/fault", { kind: "delay", times: 1, delay_ms: 1 })
      assert.strictEqual((yield* now(devnet.nodeUrl)).block_header.raw_data.number, number)
    })
  )

  it.effect("are forgotten when told to, and refused when they are none", () =>
    Effect.gen(function* () {
      const { devnet } = yield* Tron
      yield* control("/fault", { kind: "drop", times: 9 })
      assert.deepStrictEqual((yield* control("/fault", { kind: "none" })).body.faults, [])
      yield* now(devnet.nodeUrl)
      assert.strictEqual((yield* control("/fault", { kind: "sulk", times: 1 })).status, 422)
    })
  )
})

bare.live("the local tron network makes blocks by itself", () =>
  Effect.gen(function* () {
    const { faucet } = yield* TronDevnet.make({ blockIntervalMs: 1 })
    const { number } = faucet.chain.head()
    yield* Effect.repeat(Effect.sleep(1), { until: () => faucet.chain.head().number > number + 2 })
  }).pipe(Effect.scoped)
)

bare.live("the local tron network continues where it stopped, and refuses a damaged file", () =>
  Effect.gen(function* () {
    const stateFile = join(yield* tempDir, "state", "tron.json")
    const start = TronDevnet.make({ mining: "automine", stateFile })
    const head = yield* Effect.scoped(
      Effect.gen(function* () {
        const { faucet } = yield* start
        yield* faucet.sendNative(`415a${"7".repeat(38)}`, 9n)
        return faucet.chain.head()
      })
    )
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { faucet } = yield* start
        assert.strictEqual(faucet.chain.at(head.number)?.id, head.id)
        assert.strictEqual(faucet.balance(`415a${"7".repeat(38)}`), 9n)
      })
    )
    const text = yield* Effect.promise(() => readFile(stateFile, "utf8"))
    for (const damaged of [text.slice(0, -20), text.replace(/"transactions":\["/u, '"transactions":["00')]) {
      yield* Effect.promise(() => writeFile(stateFile, damaged))
      const error = yield* Effect.flip(Effect.scoped(start))
      assert.strictEqual(error.code, "file_failed")
      assert.match(error.message, /damaged/u)
    }
  }).pipe(Effect.scoped)
)

bare.live("a wallet waits for the block when blocks are made only on demand", () =>
  Effect.gen(function* () {
    const { faucet, nodeUrl } = yield* TronDevnet.make({ mining: "manual" })
    const id = yield* faucet.sendNative(`415a${"8".repeat(38)}`, 9n)
    assert.isUndefined(faucet.chain.find(id))
    const waiting = yield* ask(nodeUrl, "wallet/gettransactionbyid", { value: id })
    assert.strictEqual(waiting["txID"], id)
    assert.deepStrictEqual(yield* ask(nodeUrl, "wallet/gettransactioninfobyid", { value: id }), {})
    yield* faucet.mine(1)
    const info = yield* ask(nodeUrl, "wallet/gettransactioninfobyid", { value: id })
    assert.strictEqual(info["blockNumber"], faucet.chain.head().number)
    const visible = yield* ask(nodeUrl, "wallet/gettransactionbyid", { value: id, visible: true })
    assert.include(JSON.stringify(visible), base58Of(`415a${"8".repeat(38)}`))
  }).pipe(Effect.scoped)
)
