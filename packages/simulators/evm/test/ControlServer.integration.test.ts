import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Devnet, externalWallets } from "./support/Devnet.ts"

interface Answer {
  readonly status: number
  // Bodies differ by route; each test looks at what it expects.
  readonly body: Readonly<Record<string, unknown>>
}

const request = (method: string, path: string, body?: unknown, contentType = "application/json") =>
  Effect.flatMap(Devnet, ({ controlUrl }) =>
    Effect.promise(async (): Promise<Answer> => {
      const response = await fetch(`${controlUrl}${path}`, {
        method,
        headers: { "content-type": contentType },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
      })
      return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> }
    })
  )

const errorOf = ({ body, status }: Answer) => [status, (body["error"] as { readonly code: string }).code]

layer(Devnet.layer("bsc"), { excludeTestServices: true })("ControlServer of an EVM network", (it) => {
  it.effect("mines", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      const { number } = yield* faucet.block("latest")
      const { body, status } = yield* request("POST", "/mine", { count: 4 })
      assert.strictEqual(status, 200)
      assert.deepInclude(body["latest"] as object, { number: Number(number) + 4 })
    })
  )

  it.effect("funds the network's coin and its tokens by decimal amounts", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      const coin = yield* request("POST", "/fund", { address: externalWallets.alice, asset: "BNB", amount: "1.5" })
      assert.strictEqual(coin.status, 200)
      assert.isNumber(coin.body["block_number"])
      assert.strictEqual(yield* faucet.balance(externalWallets.alice), 15n * 10n ** 17n)
      const lower = externalWallets.alice.toLowerCase()
      const token = yield* request("POST", "/fund", {
        address: lower,
        asset: "USDT_BSC",
        amount: "0.000000000000000001"
      })
      assert.match(String(token.body["tx_hash"]), /^0x[0-9a-f]{64}$/u)
      assert.strictEqual(yield* faucet.tokenBalance(yield* faucet.token("USDT_BSC"), externalWallets.alice), 1n)
    })
  )

  it.effect("does not wait for a block that comes on demand", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      yield* faucet.setAutomine(false)
      const { body } = yield* request("POST", "/fund", { address: externalWallets.bob, asset: "BNB", amount: "1" })
      assert.isNull(body["block_number"])
      const state = yield* request("GET", "/state")
      assert.deepInclude(state.body, { automine: false, pool: { pending: 1, queued: 0 } })
      yield* request("POST", "/mine", { count: 1 })
      yield* faucet.setAutomine(true)
      assert.strictEqual(yield* faucet.balance(externalWallets.bob), 10n ** 18n)
    })
  )

  it.effect("replaces blocks, with or without their transactions", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      yield* request("POST", "/fund", { address: externalWallets.carol, asset: "BNB", amount: "1" })
      const kept = yield* request("POST", "/reorg", { depth: 1, keep: true })
      const { before, latest } = kept.body as Readonly<
        Record<"before" | "latest", { readonly number: number; readonly hash: string }>
      >
      assert.strictEqual(before.number, latest.number)
      assert.notStrictEqual(before.hash, latest.hash)
      assert.strictEqual(yield* faucet.balance(externalWallets.carol), 10n ** 18n)
      yield* request("POST", "/reorg", { depth: 1 })
      assert.strictEqual(yield* faucet.balance(externalWallets.carol), 0n)
    })
  )

  it.effect("takes faults, shows them and forgets them", () =>
    Effect.gen(function* () {
      const { rpcUrl } = yield* Devnet
      const fault = { kind: "drop", times: 2, method: "eth_chainId" }
      assert.deepEqual((yield* request("POST", "/fault", fault)).body, { faults: [fault] })
      const call = Effect.tryPromise(() =>
        fetch(rpcUrl, {
          method: "POST",
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] })
        })
      )
      yield* Effect.flip(call)
      assert.deepInclude((yield* request("GET", "/state")).body, { faults: [{ ...fault, times: 1 }] })
      assert.deepEqual((yield* request("POST", "/fault", { kind: "none" })).body, { faults: [] })
      assert.strictEqual((yield* call).status, 200)
    })
  )

  it.effect("tells its state", () =>
    Effect.gen(function* () {
      const { body } = yield* request("GET", "/state")
      assert.deepInclude(body, { network: "bsc", chain_id: 56, automine: true })
      const { finalized, latest, safe } = body as Readonly<Record<string, { readonly number: number }>>
      assert.deepEqual([safe?.number, finalized?.number], [(latest?.number ?? 0) - 1, (latest?.number ?? 0) - 2])
      assert.isTrue(
        (body["assets"] as ReadonlyArray<{ readonly asset: string }>).some(({ asset }) => asset === "USDC_BSC")
      )
    })
  )

  it.effect("refuses what it does not understand", () =>
    Effect.gen(function* () {
      const fund = { address: externalWallets.alice, asset: "BNB", amount: "1" }
      const refused = [422, "invalid_request"]
      assert.deepEqual(errorOf(yield* request("POST", "/fund", { ...fund, asset: "USDT_ETH" })), refused)
      assert.deepEqual(errorOf(yield* request("POST", "/fund", { ...fund, amount: "1e3" })), refused)
      assert.deepEqual(errorOf(yield* request("POST", "/fund", { ...fund, address: "0x12" })), refused)
      assert.deepEqual(errorOf(yield* request("POST", "/mine", { count: 0 })), refused)
      assert.deepEqual(errorOf(yield* request("POST", "/mine", "{")), refused)
      assert.deepEqual(errorOf(yield* request("POST", "/reorg", { depth: 9_999 })), refused)
      assert.deepEqual(errorOf(yield* request("POST", "/fault", { kind: "fire", times: 1 })), refused)
      assert.deepEqual(errorOf(yield* request("POST", "/mine", { count: 1 }, "text/plain")), [415, "not_json"])
      assert.deepEqual(errorOf(yield* request("GET", "/nothing")), [404, "not_found"])
    })
  )
})
