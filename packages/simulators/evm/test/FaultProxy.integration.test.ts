import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import type { Fault } from "../src/Fault.ts"
import type { Hex } from "../src/Faucet.ts"
import * as Rpc from "../src/Rpc.ts"
import { encodeFunctionData } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { tokenAbi } from "../src/abis.ts"
import { Devnet, externalWallets } from "./support/Devnet.ts"

/** Sends a body as it is and gives the text that comes back. */
const post = (url: string, body: unknown) =>
  Effect.tryPromise(async () => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    return await response.text()
  })

const proxied = Effect.map(Devnet, (devnet) => Rpc.make(devnet.rpcUrl))

const inject = (fault: Fault) => Effect.flatMap(Devnet, (devnet) => devnet.faults.inject(fault))

const seen = (method: string) =>
  Effect.map(
    Effect.flatMap(Devnet, (devnet) => devnet.faults.seen),
    (counts) => counts[method] ?? 0
  )

/** A signed transfer of one wei from the funded account, at its next nonce. */
const signed = (to: Hex) =>
  Effect.gen(function* () {
    const { anvil, faucet } = yield* Devnet
    const nonce = Number(yield* faucet.rpc<Hex>("eth_getTransactionCount", [anvil.fundedAddress, "latest"]))
    const account = privateKeyToAccount(anvil.fundedKey)
    return yield* Effect.promise(() =>
      account.signTransaction({
        ...{ chainId: anvil.chainId, nonce, to, value: 1n, gas: 21_000n, type: "eip1559" as const },
        ...{ maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
      })
    )
  })

/** What of a call says who paid how much to whom, and what came of it. */
const comparable = (frame: unknown): unknown =>
  JSON.parse(
    JSON.stringify(frame, (key, value: unknown) =>
      ["gas", "gasUsed", "revertReason", "output"].includes(key) ? undefined : value
    )
  )

layer(Devnet.layer("ethereum"), { excludeTestServices: true })("FaultProxy", (it) => {
  it.effect("passes calls and batches through while there is no fault", () =>
    Effect.gen(function* () {
      const { rpcUrl } = yield* Devnet
      assert.strictEqual(yield* (yield* proxied)("eth_chainId"), "0x1")
      const batch = JSON.parse(
        yield* post(rpcUrl, [
          { jsonrpc: "2.0", id: "a", method: "eth_chainId", params: [] },
          { jsonrpc: "2.0", id: "b", method: "net_version", params: [] }
        ])
      ) as ReadonlyArray<{ readonly id: string; readonly result: string }>
      assert.deepEqual(
        batch.map(({ id, result }) => [id, result]),
        [
          ["a", "0x1"],
          ["b", "1"]
        ]
      )
    })
  )

  it.effect("drop breaks the connection as often as asked, before the node sees the call", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      const rpc = yield* proxied
      const raw = yield* signed(externalWallets.alice)
      yield* inject({ kind: "drop", times: 2, method: "eth_sendRawTransaction" })
      yield* Effect.flip(rpc("eth_sendRawTransaction", [raw]))
      yield* Effect.flip(rpc("eth_sendRawTransaction", [raw]))
      assert.strictEqual(yield* faucet.balance(externalWallets.alice), 0n)
      yield* faucet.receipt(yield* rpc<Hex>("eth_sendRawTransaction", [raw]))
      assert.strictEqual(yield* faucet.balance(externalWallets.alice), 1n)
    })
  )

  it.effect("a fault of one method leaves the others alone", () =>
    Effect.gen(function* () {
      const { faults } = yield* Devnet
      const rpc = yield* proxied
      yield* inject({ kind: "refuse", times: 1, method: ["eth_gasPrice", "eth_getCode"] })
      assert.strictEqual(yield* rpc("eth_chainId"), "0x1")
      assert.lengthOf(yield* faults.pending, 1)
      assert.include((yield* Effect.flip(rpc("eth_gasPrice"))).message, "refused (-32000)")
      assert.lengthOf(yield* faults.pending, 0)
      assert.match(yield* rpc<string>("eth_gasPrice"), /^0x/u)
    })
  )

  it.effect("lost_reply lets the node act and loses its answer", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      const rpc = yield* proxied
      const before = yield* faucet.balance(externalWallets.bob)
      const raw = yield* signed(externalWallets.bob)
      const asked = yield* seen("eth_sendRawTransaction")
      yield* inject({ kind: "lost_reply", times: 1, method: "eth_sendRawTransaction" })
      yield* Effect.flip(rpc("eth_sendRawTransaction", [raw]))
      yield* Effect.repeat(faucet.balance(externalWallets.bob), { while: (balance) => balance === before })
      assert.strictEqual(yield* faucet.balance(externalWallets.bob), before + 1n)
      assert.strictEqual(yield* seen("eth_sendRawTransaction"), asked + 1)
    })
  )

  it.effect("delay holds a call back while others pass", () =>
    Effect.gen(function* () {
      const { faults } = yield* Devnet
      const rpc = yield* proxied
      yield* inject({ kind: "delay", times: 1, method: "eth_chainId", delay_ms: 600_000 })
      const delayed = yield* Effect.forkChild(rpc("eth_chainId"))
      yield* Effect.repeat(faults.pending, {
        while: (pending) => pending.length > 0,
        schedule: Schedule.spaced("5 millis")
      })
      assert.strictEqual(yield* rpc("net_version"), "1")
      assert.isUndefined(delayed.pollUnsafe())
      yield* Fiber.interrupt(delayed)
    })
  )

  it.effect("delay gives the true answer in the end", () =>
    Effect.gen(function* () {
      yield* inject({ kind: "delay", times: 1, delay_ms: 1 })
      assert.strictEqual(yield* (yield* proxied)("eth_chainId"), "0x1")
    })
  )

  it.effect("empty answers with nothing, in the shape of the method", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      const rpc = yield* proxied
      const block = yield* faucet.block("latest")
      yield* inject({ kind: "empty", times: 4 })
      assert.isNull(yield* rpc("eth_getBlockByNumber", ["latest", true]))
      assert.deepEqual(yield* rpc("eth_getLogs", [{ blockHash: block.hash }]), [])
      assert.deepEqual(yield* rpc("debug_traceBlockByHash", [block.hash]), [])
      assert.strictEqual(yield* rpc("eth_call", [{ to: externalWallets.alice }]), "0x")
      assert.isNotNull(yield* rpc("eth_getBlockByNumber", ["latest", true]))
    })
  )

  it.effect("duplicate sends a transaction twice, which happens once, and other calls do not use it up", () =>
    Effect.gen(function* () {
      const { faucet, faults } = yield* Devnet
      const rpc = yield* proxied
      const before = yield* faucet.balance(externalWallets.carol)
      yield* faucet.setAutomine(false)
      const raw = yield* signed(externalWallets.carol)
      yield* inject({ kind: "duplicate", times: 1 })
      yield* rpc("eth_chainId")
      assert.lengthOf(yield* faults.pending, 1)
      const error = yield* Effect.flip(rpc("eth_sendRawTransaction", [raw]))
      assert.include(error.message, "already imported")
      yield* faucet.mine(1)
      yield* faucet.setAutomine(true)
      assert.strictEqual(yield* faucet.balance(externalWallets.carol), before + 1n)
    })
  )

  it.effect("garbage is not JSON, cut short, or of the wrong type", () =>
    Effect.gen(function* () {
      const { rpcUrl } = yield* Devnet
      const call = { jsonrpc: "2.0", id: 9, method: "eth_chainId", params: [] }
      yield* inject({ kind: "garbage", times: 1 })
      yield* Effect.flip(post(rpcUrl, call))
      yield* inject({ kind: "garbage", times: 1, garbage: "invalid_json" })
      assert.include(yield* post(rpcUrl, call), "<html>")
      yield* inject({ kind: "garbage", times: 1, garbage: "wrong_types" })
      assert.deepEqual(JSON.parse(yield* post(rpcUrl, call)), { jsonrpc: "2.0", id: 9, result: { unexpected: true } })
    })
  )

  it.effect("hits single calls of a batch", () =>
    Effect.gen(function* () {
      const { rpcUrl } = yield* Devnet
      yield* inject({
        kind: "refuse",
        times: 1,
        method: "net_version",
        error_code: -32005,
        error_message: "limit exceeded"
      })
      const replies = JSON.parse(
        yield* post(rpcUrl, [
          { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] },
          { jsonrpc: "2.0", id: 2, method: "net_version", params: [] }
        ])
      ) as unknown
      assert.deepEqual(replies, [
        { jsonrpc: "2.0", id: 1, result: "0x1" },
        { jsonrpc: "2.0", id: 2, error: { code: -32005, message: "limit exceeded" } }
      ])
    })
  )

  it.effect("a connection fault of one call takes the whole batch", () =>
    Effect.gen(function* () {
      const { faults, rpcUrl } = yield* Devnet
      yield* inject({ kind: "drop", times: 1, method: "net_version" })
      yield* Effect.flip(
        post(rpcUrl, [
          { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] },
          { jsonrpc: "2.0", id: 2, method: "net_version", params: [] }
        ])
      )
      assert.lengthOf(yield* faults.pending, 0)
    })
  )

  it.effect("lag answers as a node that is behind", () =>
    Effect.gen(function* () {
      const { faucet, faults } = yield* Devnet
      const rpc = yield* proxied
      const usdt = yield* faucet.token("USDT_ETH")
      yield* faucet.mine(3)
      const before = yield* faucet.tokenBalance(usdt, externalWallets.alice)
      const hash = yield* faucet.transfer(usdt, externalWallets.alice, 5n)
      const { blockHash, blockNumber } = yield* faucet.receipt(hash)
      yield* faucet.mine(1)
      const head = yield* faucet.block("latest")
      yield* inject({ kind: "lag", times: 1000, lag_blocks: 3 })
      assert.strictEqual(BigInt(yield* rpc<Hex>("eth_blockNumber")), head.number - 3n)
      const latest = yield* rpc<{ readonly number: Hex }>("eth_getBlockByNumber", ["latest", false])
      assert.strictEqual(BigInt(latest.number), head.number - 3n)
      const finalized = yield* rpc<{ readonly number: Hex }>("eth_getBlockByNumber", ["finalized", false])
      assert.isTrue(BigInt(finalized.number) <= head.number - 3n)
      assert.isNull(yield* rpc("eth_getBlockByNumber", [blockNumber, false]))
      assert.isNull(yield* rpc("eth_getBlockByHash", [blockHash, false]))
      assert.isNull(yield* rpc("eth_getTransactionReceipt", [hash]))
      assert.isNull(yield* rpc("eth_getTransactionByHash", [hash]))
      assert.isNull(yield* rpc("eth_getBlockReceipts", [blockHash]))
      assert.include((yield* Effect.flip(rpc("eth_getLogs", [{ blockHash }]))).message, "unknown block")
      assert.include((yield* Effect.flip(rpc("debug_traceBlockByHash", [blockHash, {}]))).message, "unknown block")
      assert.include((yield* Effect.flip(rpc("debug_traceTransaction", [hash, {}]))).message, "not found")
      // A range is cut short in silence, which is the trap.
      assert.deepEqual(yield* rpc("eth_getLogs", [{ fromBlock: blockNumber, toBlock: blockNumber }]), [])
      const cut = yield* rpc<ReadonlyArray<{ readonly transactionHash: Hex }>>("eth_getLogs", [
        { fromBlock: "0x0", toBlock: blockNumber }
      ])
      assert.isFalse(cut.some((log) => log.transactionHash === hash))
      const data = encodeFunctionData({ abi: tokenAbi, functionName: "balanceOf", args: [externalWallets.alice] })
      assert.strictEqual(BigInt(yield* rpc<Hex>("eth_call", [{ to: usdt.address, data }])), before)
      assert.strictEqual(BigInt(yield* rpc<Hex>("eth_call", [{ to: usdt.address, data }, "latest"])), before)
      yield* faults.clear
      assert.strictEqual(BigInt(yield* rpc<Hex>("eth_blockNumber")), head.number)
      assert.isNotNull(yield* rpc("eth_getTransactionReceipt", [hash]))
    })
  )

  it.effect("the node does not stand still where calls are traced while it mines", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      const rpc = yield* proxied
      const hash = yield* faucet.transfer(yield* faucet.token("USDC_ETH"), externalWallets.alice, 5n)
      const { blockHash, blockNumber } = yield* faucet.receipt(hash)
      const tracer = { tracer: "callTracer" }
      const [byHash, byNumber, alone] = yield* Effect.all([
        rpc<ReadonlyArray<unknown>>("debug_traceBlockByHash", [blockHash, tracer]),
        rpc<ReadonlyArray<unknown>>("debug_traceBlockByNumber", [blockNumber, tracer]),
        rpc("debug_traceTransaction", [hash, tracer])
      ])
      assert.deepStrictEqual(byHash, [{ txHash: hash, result: alone }])
      assert.deepStrictEqual(byNumber, byHash)

      yield* faucet.setAutomine(false)
      const paid = yield* Effect.replicateEffect(faucet.sendNative(externalWallets.alice, 1n), 30)
      yield* faucet.mine(1)
      const full = yield* faucet.receipt(paid[0] ?? hash)
      const traced = rpc<ReadonlyArray<unknown>>("debug_traceBlockByHash", [full.blockHash, tracer])
      const many = <A, E>(effect: Effect.Effect<A, E>, times: number) =>
        Effect.replicateEffect(effect, times, { concurrency: 4, discard: true })
      yield* Effect.all([many(faucet.mine(1), 400), many(traced, 400)], { concurrency: 2 })
      assert.lengthOf(yield* traced, 30)
      yield* faucet.setAutomine(true)
      assert.deepStrictEqual(yield* rpc("debug_traceBlockByHash", [blockHash, tracer]), byHash)
    })
  )

  it.effect("calls are traced as the node would", () =>
    Effect.gen(function* () {
      const { anvil, faucet } = yield* Devnet
      const rpc = yield* proxied
      const usdc = yield* faucet.token("USDC_ETH")
      const tooMuch = encodeFunctionData({
        abi: tokenAbi,
        functionName: "transfer",
        args: [externalWallets.alice, 10n ** 40n]
      })
      // a contract that pays 1, makes another with 5 that destroys itself, and asks for more than there is
      const made =
        `0x6000600060006000600173${"b0".repeat(20)}5af1507573${"b1".repeat(20)}ff6000526016600a6005f05060006000600060006fffffffffffffffffffffffffffffffff73${"b0".repeat(20)}5af15000` as const
      const from = anvil.fundedAddress
      const hashes = [
        yield* faucet.call(usdc.address, tooMuch),
        yield* faucet.sendNative(externalWallets.alice, 7n),
        yield* faucet.rpc<Hex>("eth_sendTransaction", [{ from, data: made, value: "0xa", gas: "0x1e8480" }])
      ]
      for (const hash of hashes) {
        yield* faucet.receipt(hash)
        const question = [hash, { tracer: "callTracer" }] as const
        // the node counts the gas of the whole transaction, and says in words why a call was reverted
        assert.deepStrictEqual(
          comparable(yield* rpc("debug_traceTransaction", question)),
          comparable(yield* faucet.rpc("debug_traceTransaction", question)),
          hash
        )
      }
      const unknown = `0x${"ab".repeat(32)}`
      for (const method of ["debug_traceBlockByHash", "debug_traceTransaction"])
        assert.include((yield* Effect.flip(rpc(method, [unknown, { tracer: "callTracer" }]))).message, "not found")
    })
  )
})
