import type { ChainSender, SendOrder, ReplayGuard } from "@bursar/core/port/ChainSender"
import { contracts, falseToken, feeToken } from "@bursar/simulator-evm/tokens"
import { splitterAbi, tokenAbi } from "@bursar/simulator-evm/abis"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import { make as makeRpc } from "@bursar/simulator-evm/Rpc"
import { evmCodec } from "@bursar/evm"
import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { bytesToHex, encodeFunctionData } from "viem"
import { decodeDraft, digestOf, type Draft } from "../src/internal/build/Draft.ts"
import { encodeSigned } from "../src/internal/build/SignedTransaction.ts"
import { transferData } from "../src/internal/rpc/tokenCall.ts"
import { EvmSenderWorld } from "./support/SenderWorld.ts"
import { World } from "./support/World.ts"

/** An account with coin and tokens. */
const funded = Effect.gen(function* () {
  const { fund, keys } = yield* EvmSenderWorld
  const account = keys.create()
  yield* fund(account)
  return account
})

const nonceOf = (account: string, number: bigint): ReplayGuard => ({ _tag: "Sequence", account, sequence: number })

const orderOf = (
  from: string,
  number: bigint,
  to: string,
  units = 1_000n,
  contract: string | null = null
): SendOrder => ({
  from,
  guard: nonceOf(from, number),
  payments: [{ to, contract, units, memo: null }],
  validUntil: 0,
  salt: 0,
  drain: false,
  replacing: null
})

const signedOrder = Effect.fnUntraced(function* (sender: ChainSender, order: SendOrder) {
  const { keys } = yield* EvmSenderWorld
  const { devnet, tokens } = yield* World
  const format = evmCodec({ network: devnet.anvil.network, contracts: tokens.map(({ address }) => address) })
  const { bytes } = yield* sender.build(order)
  const { digests } = Result.getOrThrow(format.read(bytes))
  const signatures = digests.map(({ address, digest }) => keys.sign(address, digest))
  return { ...Result.getOrThrow(format.finish(bytes, signatures)), validUntil: null }
})

/** A draft that no order would lead to, signed. */
const signedDraft = Effect.fnUntraced(function* (
  draft: Omit<Draft, "chainId" | "maxFeePerGas" | "maxPriorityFeePerGas">
) {
  const { keys } = yield* EvmSenderWorld
  const { devnet } = yield* World
  const price = 20_000_000_000n
  const whole = { ...draft, chainId: devnet.anvil.chainId, maxFeePerGas: price, maxPriorityFeePerGas: price }
  const { bytes, recovery } = keys.sign(draft.from, digestOf(whole))
  return { ...encodeSigned(whole, { bytes, yParity: recovery === 1 ? 1 : 0 }), validUntil: null }
})

const mine = (count: number) => Effect.flatMap(World, ({ devnet }) => Effect.orDie(devnet.faucet.mine(count)))

/** Runs a call of the faucet, in a block of its own that is final afterwards. */
const settled = <E>(sent: (world: World["Service"]) => Effect.Effect<Hex, E>) =>
  Effect.gen(function* () {
    const world = yield* World
    const hash = yield* Effect.orDie(sent(world))
    yield* mine(3)
    return hash
  })

const setBlocked = (account: string, blocked: boolean) =>
  settled(({ devnet, tokens: [token] }) =>
    devnet.faucet.call(
      token?.address ?? "0x",
      encodeFunctionData({ abi: tokenAbi, functionName: "setBlocked", args: [account as Hex, blocked] })
    )
  )

layer(EvmSenderWorld.on("ethereum"), { excludeTestServices: true })("EvmSender on ethereum", (it) => {
  it.effect("builds a thousand orders of one wallet at once, with few questions and consecutive nonces", () =>
    Effect.gen(function* () {
      const { address, devnet, tokens } = yield* World
      const { sender } = yield* EvmSenderWorld
      const from = yield* funded
      const contract = tokens[0]?.address ?? ""
      const subject = sender({ pricesTtlMs: 60_000 })
      const first = (yield* subject.firstSequence(from)) ?? 0n
      const receivers = yield* Effect.forEach(Array.from({ length: 1_000 }), () => address)
      const before = yield* devnet.faults.seen
      yield* subject.build(orderOf(from, first, yield* address, 10n, contract))
      const built = yield* Effect.forEach(
        receivers,
        (to, index) => subject.build(orderOf(from, first + BigInt(index), to, 10n, contract)),
        { concurrency: "unbounded" }
      )
      const after = yield* devnet.faults.seen
      const asked = (method: string) => (after[method] ?? 0) - (before[method] ?? 0)
      // Once for the order before, and once for the thousand.
      assert.strictEqual(asked("eth_getBalance"), 2)
      assert.strictEqual(asked("eth_maxPriorityFeePerGas"), 1)
      assert.strictEqual(asked("eth_getCode"), 1)
      // A simulation for each receiver, and twice the wallet's balance of the token. What a transfer takes is known of the first.
      assert.strictEqual(asked("eth_call"), 1_003)
      assert.strictEqual(asked("eth_estimateGas"), 1)
      const nonces = built.map(({ bytes }) => Result.getOrThrow(decodeDraft(bytes)).nonce)
      assert.deepStrictEqual(
        nonces,
        receivers.map((_, index) => first + BigInt(index))
      )
    })
  )

  it.effect("follows a hundred transactions of one wallet with one count and one tip", () =>
    Effect.gen(function* () {
      const { address, devnet } = yield* World
      const { sender } = yield* EvmSenderWorld
      const from = yield* funded
      const subject = sender({})
      const to = yield* address
      const sent = yield* Effect.forEach(
        Array.from({ length: 100 }, (_, index) => orderOf(from, BigInt(index), to)),
        (order) => Effect.map(signedOrder(subject, order), (transaction) => ({ order, transaction })),
        { concurrency: "unbounded" }
      )
      const before = yield* devnet.faults.seen
      const statuses = yield* Effect.forEach(sent, ({ order, transaction }) => subject.status(order, [transaction]), {
        concurrency: "unbounded"
      })
      const after = yield* devnet.faults.seen
      assert.isTrue(statuses.every(({ _tag }) => _tag === "Pending"))
      assert.strictEqual((after["eth_getTransactionByHash"] ?? 0) - (before["eth_getTransactionByHash"] ?? 0), 100)
      // A request carries 50 questions, and each of three asks the common ones again at most.
      assert.isAtMost((after["eth_getTransactionCount"] ?? 0) - (before["eth_getTransactionCount"] ?? 0), 3)
      assert.isAtMost((after["eth_getBlockByNumber"] ?? 0) - (before["eth_getBlockByNumber"] ?? 0), 6)
    })
  )

  it.effect("rule 15: fills a gap by a transaction of nothing, after which the next ones are mined", () =>
    Effect.gen(function* () {
      const { address } = yield* World
      const { sender } = yield* EvmSenderWorld
      const from = yield* funded
      const subject = sender({})
      const later = orderOf(from, 1n, yield* address)
      const waiting = yield* signedOrder(subject, later)
      assert.strictEqual((yield* subject.broadcast(waiting.raw))._tag, "Accepted")
      yield* mine(1)
      assert.strictEqual((yield* subject.status(later, [waiting]))._tag, "Pending")
      const gap = { ...orderOf(from, 0n, from), payments: [] }
      const filler = yield* signedOrder(subject, gap)
      yield* subject.broadcast(filler.raw)
      yield* mine(3)
      assert.strictEqual((yield* subject.status(gap, [filler]))._tag, "Final")
      assert.strictEqual((yield* subject.status(later, [waiting]))._tag, "Final")
    })
  )

  it.effect("rule 4: does not give a payment up when another transaction outbids it, until that one is final", () =>
    Effect.gen(function* () {
      const { address, devnet } = yield* World
      const { foreign, sender } = yield* EvmSenderWorld
      const from = yield* funded
      const subject = sender({})
      const order = orderOf(from, 0n, yield* address)
      const ours = yield* signedOrder(subject, order)
      yield* subject.broadcast(ours.raw)
      const by = yield* Effect.orDie(
        makeRpc(devnet.anvil.rpcUrl)<string>("eth_sendRawTransaction", [foreign(order, 90_000_000_000n)])
      )
      assert.strictEqual((yield* subject.status(order, [ours]))._tag, "Pending")
      yield* mine(1)
      assert.strictEqual((yield* subject.status(order, [ours]))._tag, "Pending")
      yield* mine(2)
      const status = yield* subject.status(order, [ours])
      assert.strictEqual(status._tag === "Invalidated" ? status.by : status._tag, by)
    })
  )

  it.effect("finds its transaction on a node that forgot its hash, and nothing where the receipt is withheld", () =>
    Effect.gen(function* () {
      const { address, devnet } = yield* World
      const { sender } = yield* EvmSenderWorld
      const from = yield* funded
      const subject = sender({})
      const order = orderOf(from, 0n, yield* address)
      const ours = yield* signedOrder(subject, order)
      yield* subject.broadcast(ours.raw)
      yield* mine(3)
      yield* devnet.faults.inject({ kind: "empty", times: 1_000, method: "eth_getTransactionByHash" })
      const status = yield* Effect.ensuring(subject.status(order, [ours]), devnet.faults.clear)
      assert.strictEqual(status._tag === "Final" ? status.hash : status._tag, ours.hash)
      yield* devnet.faults.inject({ kind: "empty", times: 1_000, method: "eth_getTransactionReceipt" })
      const withheld = Effect.flip(subject.status(order, [ours]))
      assert.strictEqual((yield* Effect.ensuring(withheld, devnet.faults.clear)).reason, "inconsistent")
    })
  )

  it.effect("makes nothing of a node that lags in one answer and not in the others", () =>
    Effect.gen(function* () {
      const { address, devnet } = yield* World
      const { sender } = yield* EvmSenderWorld
      const from = yield* funded
      const subject = sender({})
      const order = orderOf(from, 0n, yield* address)
      const ours = yield* signedOrder(subject, order)
      yield* subject.broadcast(ours.raw)
      yield* mine(3)
      for (const method of [
        "eth_getTransactionByHash",
        "eth_getTransactionReceipt",
        "eth_getTransactionCount",
        "eth_getBlockByNumber",
        "eth_getBlockByHash"
      ]) {
        yield* devnet.faults.inject({ kind: "lag", times: 1_000, lag_blocks: 3, method })
        const said = yield* Effect.ensuring(Effect.result(subject.status(order, [ours])), devnet.faults.clear)
        const tag = said._tag === "Failure" ? said.failure._tag : said.success._tag
        assert.include(["ChainError", "Included", "Final"], tag, method)
      }
    })
  )

  it.effect("says that a transaction is missing that succeeded without its transfer", () =>
    Effect.gen(function* () {
      const { address, devnet } = yield* World
      const { sender } = yield* EvmSenderWorld
      const from = yield* funded
      yield* settled(({ devnet: { faucet } }) => faucet.mint(feeToken, from as Hex, 1_000n))
      const subject = sender({ contracts: [falseToken.address, feeToken.address] })
      const data = transferData(yield* address, 1_000n)
      for (const [nonce, token] of [falseToken, feeToken].entries()) {
        const call = { from, nonce: BigInt(nonce), to: token.address, value: 0n, data, gas: 200_000n }
        const sent = yield* signedDraft(call)
        assert.strictEqual((yield* subject.broadcast(sent.raw))._tag, "Accepted")
        yield* mine(3)
        const status = yield* subject.status({ from, guard: nonceOf(from, BigInt(nonce)) }, [sent])
        assert.strictEqual(status._tag === "Final" ? status.effect : status._tag, "missing", token.code)
      }
      assert.deepStrictEqual(yield* devnet.faults.pending, [])
    })
  )

  it.effect("rule 17: does not pay who is blocked by the issuer, and tells it from a wallet that is blocked", () =>
    Effect.gen(function* () {
      const { address, tokens } = yield* World
      const { sender } = yield* EvmSenderWorld
      const subject = sender({})
      const contract = tokens[0]?.address ?? ""
      const from = yield* funded
      const to = yield* address
      const order = orderOf(from, 0n, to, 10n, contract)
      const payment = { to, contract, units: 10n, memo: null }
      const reasonOf = Effect.map(Effect.flip(subject.build(order)), (error) =>
        error._tag === "CannotBuild" ? error.reason : error._tag
      )
      assert.deepStrictEqual(yield* subject.preflight(payment), { _tag: "Payable" })
      yield* setBlocked(to, true)
      assert.strictEqual(yield* reasonOf, "destination_invalid")
      assert.strictEqual((yield* subject.preflight(payment))._tag, "Unpayable")
      assert.strictEqual((yield* subject.preflight({ ...payment, contract: null }))._tag, "Payable")
      yield* setBlocked(to, false)
      yield* setBlocked(from, true)
      assert.strictEqual(yield* reasonOf, "asset_blocked")
      assert.strictEqual((yield* subject.preflight(payment))._tag, "Payable")
      yield* setBlocked(from, false)
      yield* subject.build(order)
    })
  )

  it.effect("does not build a payment that its receiver refuses, or that would cost what it likes", () =>
    Effect.gen(function* () {
      const { sender } = yield* EvmSenderWorld
      const from = yield* funded
      const refused = yield* Effect.flip(sender({}).build(orderOf(from, 0n, contracts.refuser)))
      assert.strictEqual(refused._tag === "CannotBuild" ? refused.reason : refused._tag, "destination_invalid")
      const toContract = orderOf(from, 0n, contracts.splitter)
      const { bytes } = yield* sender({}).build(toContract)
      const { gas } = Result.getOrThrow(decodeDraft(bytes))
      assert.isTrue(gas > 21_000n)
      const bounded = yield* Effect.flip(sender({ gasMax: Number(gas) - 1 }).build(toContract))
      assert.strictEqual(bounded._tag === "CannotBuild" ? bounded.reason : bounded._tag, "destination_invalid")
    })
  )

  it.effect("drains all but what the transaction may cost, and again what was left over", () =>
    Effect.gen(function* () {
      const { address, devnet } = yield* World
      const { sender } = yield* EvmSenderWorld
      const subject = sender({})
      const from = yield* funded
      const to = yield* address
      const units = yield* subject.balance(from, null)
      const order = { ...orderOf(from, 0n, to, units), drain: true }
      const { payments, feeMax } = yield* subject.build(order)
      const first = yield* signedOrder(subject, order)
      assert.strictEqual(units - feeMax, payments[0]?.units)
      // A replacement bids more and so leaves less, and is as valid.
      const second = yield* signedOrder(subject, { ...order, replacing: first.raw })
      yield* subject.broadcast(first.raw)
      assert.strictEqual((yield* subject.broadcast(second.raw))._tag, "Accepted")
      yield* mine(3)
      const status = yield* subject.status(order, [first, second])
      if (status._tag !== "Final") return assert.fail(status._tag)
      assert.strictEqual(status.hash, second.hash)
      const left = yield* subject.balance(from, null)
      assert.strictEqual(yield* devnet.faucet.balance(to as Hex), units - left - status.fee)
      const dust = yield* Effect.flip(subject.build({ ...orderOf(from, 1n, to, 21_000n), drain: true }))
      assert.strictEqual(dust._tag === "CannotBuild" ? dust.reason : dust._tag, "insufficient_wallet")
    })
  )

  it.effect("takes coin for the fee into account, and says how much is missing", () =>
    Effect.gen(function* () {
      const { address, devnet, tokens } = yield* World
      const { sender } = yield* EvmSenderWorld
      const subject = sender({})
      const from = yield* funded
      const { feeMax } = yield* subject.build(orderOf(from, 0n, yield* address, 10n, tokens[0]?.address))
      yield* Effect.orDie(devnet.faucet.rpc("anvil_setBalance", [from, `0x${(feeMax / 2n).toString(16)}`]))
      const order = orderOf(from, 0n, yield* address, 10n, tokens[0]?.address)
      const error = yield* Effect.flip(subject.build(order))
      if (error._tag !== "CannotBuild") return assert.fail(error.message)
      assert.deepStrictEqual([error.reason, error.missing?.contract], ["insufficient_wallet", null])
      assert.isTrue((error.missing?.units ?? 0n) > 0n)
    })
  )

  it.effect("takes a token for holding nothing where the node answers nothing, never for zero", () =>
    Effect.gen(function* () {
      const { devnet, tokens } = yield* World
      const { sender } = yield* EvmSenderWorld
      const from = yield* funded
      yield* devnet.faults.inject({ kind: "empty", times: 1_000, method: "eth_call" })
      const asked = Effect.flip(sender({}).balance(from, tokens[0]?.address ?? ""))
      assert.strictEqual((yield* Effect.ensuring(asked, devnet.faults.clear)).reason, "inconsistent")
    })
  )

  it.effect("proves coin that a contract sent, by its trace, and says so where there are none", () =>
    Effect.gen(function* () {
      const { address } = yield* World
      const { sender } = yield* EvmSenderWorld
      const to = yield* address
      const data = encodeFunctionData({ abi: splitterAbi, functionName: "split", args: [[to as Hex], [7n]] })
      const txHash = yield* settled(({ devnet: { faucet } }) => faucet.call(contracts.splitter, data, 7n))
      const claimed = { txHash, contract: null, units: 7n, to, senders: [contracts.splitter], memo: null }
      assert.strictEqual((yield* sender({}).prove(claimed)).verdict, "PROVEN")
      assert.strictEqual((yield* sender({}).prove({ ...claimed, units: 8n })).verdict, "NOT_PROVEN")
      assert.strictEqual((yield* sender({ traces: "off" }).prove(claimed)).verdict, "UNREADABLE")
    })
  )

  it.effect("proves what a receiver was paid in several parts of one transaction, as their sum and each", () =>
    Effect.gen(function* () {
      const { address } = yield* World
      const { sender } = yield* EvmSenderWorld
      const to = yield* address
      const receivers = [to as Hex, to as Hex]
      const data = encodeFunctionData({ abi: splitterAbi, functionName: "split", args: [receivers, [3n, 4n]] })
      const txHash = yield* settled(({ devnet: { faucet } }) => faucet.call(contracts.splitter, data, 7n))
      const claimed = { txHash, contract: null, units: 7n, to, senders: [contracts.splitter], memo: null }
      const verdict = (units: bigint, senders: ReadonlyArray<string> = claimed.senders) =>
        Effect.map(sender({}).prove({ ...claimed, units, senders }), (proof) => proof.verdict)
      for (const units of [7n, 4n, 3n]) assert.strictEqual(yield* verdict(units), "PROVEN", `${units}`)
      assert.strictEqual(yield* verdict(7n, []), "PROVEN")
      assert.strictEqual(yield* verdict(7n, [to]), "NOT_PROVEN")
      for (const units of [6n, 8n]) assert.strictEqual(yield* verdict(units), "NOT_PROVEN", `${units}`)
      assert.strictEqual((yield* sender({ traces: "off" }).prove(claimed)).verdict, "UNREADABLE")
    })
  )

  it.effect("does not prove what failed, what a token did not log, or less than was claimed", () =>
    Effect.gen(function* () {
      const { address } = yield* World
      const { sender } = yield* EvmSenderWorld
      const subject = sender({ contracts: [falseToken.address, feeToken.address] })
      const to = yield* address
      const call = encodeFunctionData({ abi: tokenAbi, functionName: "transfer", args: [to as Hex, 100n] })
      const split = encodeFunctionData({ abi: splitterAbi, functionName: "splitThenFail", args: [to as Hex] })
      const failed = yield* settled(({ devnet: { faucet } }) => faucet.call(contracts.splitter, split, 5n))
      const silent = yield* settled(({ devnet: { faucet } }) => faucet.call(falseToken.address, call))
      const less = yield* settled(({ devnet: { faucet } }) => faucet.transfer(feeToken, to as Hex, 100n))
      const base = { to, senders: [], memo: null }
      const claims = [
        { ...base, txHash: failed, contract: null, units: 5n },
        { ...base, txHash: silent, contract: falseToken.address, units: 100n },
        { ...base, txHash: less, contract: feeToken.address, units: 100n }
      ]
      for (const claimed of claims) assert.strictEqual((yield* subject.prove(claimed)).verdict, "NOT_PROVEN")
      const kept = { ...base, txHash: less, contract: feeToken.address, units: 90n }
      assert.strictEqual((yield* subject.prove(kept)).verdict, "PROVEN")
    })
  )

  it.effect(
    "rule 16: assumes the dearer case, and says so, where it cannot know whether the receiver holds the token",
    () =>
      Effect.gen(function* () {
        const { address, devnet, tokens } = yield* World
        const { sender } = yield* EvmSenderWorld
        const subject = sender({})
        const from = yield* funded
        const contract = tokens[0]?.address ?? ""
        const ask = (to: string | null) => subject.estimate({ from, to, contract, units: 10n })
        const holder = yield* ask(yield* funded)
        const stranger = yield* ask(yield* address)
        const unknown = yield* ask(null)
        assert.deepStrictEqual([holder.recipientHoldsAsset, holder.assumedWorstCase], [true, false])
        assert.deepStrictEqual([stranger.recipientHoldsAsset, stranger.assumedWorstCase], [false, false])
        assert.deepStrictEqual([unknown.recipientHoldsAsset, unknown.assumedWorstCase], [null, true])
        assert.isTrue((holder.fee ?? 0n) < (stranger.fee ?? 0n))
        assert.isTrue((stranger.fee ?? 0n) < (unknown.fee ?? 0n))
        yield* devnet.faults.inject({ kind: "empty", times: 1_000, method: "eth_call" })
        const blind = yield* Effect.ensuring(ask(yield* address), devnet.faults.clear)
        assert.deepStrictEqual([blind.recipientHoldsAsset, blind.assumedWorstCase], [null, true])
      })
  )

  it.effect("estimates no less than the payment then costs", () =>
    Effect.gen(function* () {
      const { address } = yield* World
      const { sender } = yield* EvmSenderWorld
      const subject = sender({})
      const from = yield* funded
      const to = yield* address
      const { fee } = yield* subject.estimate({ from, to, contract: null, units: 1_000n })
      const order = orderOf(from, 0n, to)
      const sent = yield* signedOrder(subject, order)
      yield* subject.broadcast(sent.raw)
      yield* mine(3)
      const status = yield* subject.status(order, [sent])
      assert.isTrue(status._tag === "Final" && status.fee <= (fee ?? 0n))
    })
  )
})

layer(EvmSenderWorld.on("base"), { excludeTestServices: true })("EvmSender on base", (it) => {
  it.effect("counts what Ethereum and the operator get into what a transaction may cost", () =>
    Effect.gen(function* () {
      const { address } = yield* World
      const { sender } = yield* EvmSenderWorld
      const subject = sender({})
      const from = yield* funded
      const to = yield* address
      const { bytes, feeMax } = yield* subject.build(orderOf(from, 0n, to))
      const { gas, maxFeePerGas } = Result.getOrThrow(decodeDraft(bytes))
      // The devnet's oracle: 10⁸ wei for each byte and 68 more, ten for each unit of gas; twice that is kept ready.
      assert.strictEqual(feeMax - gas * maxFeePerGas, 2n * ((192n + 68n) * 100_000_000n + gas * 10n))
      const units = yield* subject.balance(from, null)
      const drained = yield* subject.build({ ...orderOf(from, 0n, to, units), drain: true })
      assert.strictEqual(units - (drained.payments[0]?.units ?? 0n), drained.feeMax)
      assert.isTrue(bytesToHex(bytes).length / 2 - 1 <= 192)
    })
  )

  it.effect("does not know a fee, and builds nothing, while the oracle cannot be read", () =>
    Effect.gen(function* () {
      const { address, devnet } = yield* World
      const { sender } = yield* EvmSenderWorld
      const subject = sender({})
      const from = yield* funded
      const to = yield* address
      const known = yield* subject.estimate({ from, to, contract: null, units: 1_000n })
      assert.isNotNull(known.fee)
      yield* devnet.faults.inject({ kind: "empty", times: 1_000, method: "eth_call" })
      const [estimate, error] = yield* Effect.ensuring(
        Effect.all([
          subject.estimate({ from, to, contract: null, units: 1_000n }),
          Effect.flip(subject.build(orderOf(from, 0n, to)))
        ]),
        devnet.faults.clear
      )
      assert.isNull(estimate.fee)
      assert.strictEqual(error._tag, "ChainError")
    })
  )
})
