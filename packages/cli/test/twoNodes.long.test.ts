import { EvmDevnet } from "@bursar/simulator-evm"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import type { ChainSender } from "@bursar/core/port/ChainSender"
import { adapterOf, Networks } from "@bursar/core/port/Networks"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Redacted, Result } from "effect"
import { encodeFunctionData, hexToBytes, keccak256, parseAbi, parseUnits } from "viem"
import { type EvmSettings, evmDefaults } from "../src/config/NetworkSettings.ts"
import { layerNetworksAlone } from "./support/idleNodes.ts"
import { localCurrencies } from "./support/localCurrencies.ts"
import {
  holding,
  inflating,
  type Lie,
  lyingNode,
  type LyingNode,
  redirecting,
  renaming,
  reverting,
  succeeding,
  withoutReceipt
} from "./support/lyingNode.ts"
import { freshAddress } from "./support/payer.ts"
import { openService } from "./support/service.ts"
import { allDeposits, availableOf, register } from "./support/tenant.ts"
import { until } from "./support/until.ts"
import { walletOn } from "./support/wallet.ts"
import { confirmations } from "./support/world.ts"

const much = 10n ** 24n

/** A service that prefers a node which lies to an honest one of another operator. */
const open = Effect.gen(function* () {
  const started = yield* Deferred.make<LyingNode>()
  const service = yield* openService("ethereum", ({ anvil }) =>
    Effect.gen(function* () {
      const liar = yield* lyingNode(anvil.rpcUrl)
      yield* Deferred.succeed(started, liar)
      return { ETHEREUM_RPC_URL: `${liar.url},${anvil.rpcUrl}`, ETHEREUM_NODE_OPERATORS: "bought,honest" }
    })
  )
  return { ...service, liar: yield* Deferred.await(started) }
})

class Service extends Context.Service<Service, Effect.Success<typeof open>>()("test/Service") {
  static readonly layer = Layer.effect(Service, open)
}

layer(Service.layer, { excludeTestServices: true })("of two nodes one that lies about a deposit", (it) => {
  /** Lies about a transaction that pays `to`, told before it is in a block. */
  const kinds: ReadonlyArray<
    readonly [
      what: string,
      asset: "native" | "token",
      lie: (txHash: string, customer: Hex) => Lie,
      payee: "customer" | "stranger"
    ]
  > = [
    ["says another amount of coin", "native", (txHash) => inflating(txHash, much), "customer"],
    ["says another amount of a token", "token", (txHash) => inflating(txHash, much), "customer"],
    ["says another receiver of coin", "native", redirecting, "stranger"],
    ["says another receiver of a token", "token", redirecting, "stranger"]
  ]

  for (const [what, asset, lie, payee] of kinds) {
    it.effect(`(${what}) makes nobody richer: it is held as disputed, and all else is credited`, () =>
      Effect.gen(function* () {
        const { devnet, liar, operator, partner, payer } = yield* Service
        const { faucet } = devnet
        const [currency, decimals] = asset === "native" ? (["ETH", 18] as const) : (["USDT_ETH", 6] as const)
        const [customer, honest] = [freshAddress(), freshAddress()]
        yield* register(partner, "ethereum", [customer, honest])
        const credited = Effect.map(availableOf(partner, currency), (text) => parseUnits(text, decimals))
        const before = yield* credited
        yield* faucet.setAutomine(false)
        const [paid] = yield* payer[asset](payee === "customer" ? customer : freshAddress(), 1_000n)
        yield* liar.tell(lie(paid?.txHash ?? "", customer))
        yield* faucet.mine(1)
        yield* payer[asset](honest, 10n ** 6n)
        yield* faucet.mine(confirmations)
        yield* faucet.setAutomine(true)
        const [held] = yield* until(
          "it is disputed",
          Effect.map(operator["held-arrivals"].list({ query: { open: true } }), ({ arrivals }) =>
            arrivals.filter(({ tx_hash }) => tx_hash === paid?.txHash)
          ),
          (all) => all[0]?.state === "disputed"
        )
        assert.strictEqual(held?.address.toLowerCase(), customer)
        const deposits = yield* until("the honest one is credited", allDeposits(partner), (all) =>
          all.some(({ address, status }) => address.toLowerCase() === honest && status === "CONFIRMED")
        )
        assert.strictEqual(deposits.find(({ tx_hash }) => tx_hash === paid?.txHash)?.status, "DETECTED")
        assert.strictEqual((yield* credited) - before, 10n ** 6n)
        assert.isAbove(yield* liar.lied, 0)
        // what stays held is for people to refuse
        const which = {
          tx_hash: held?.tx_hash ?? "",
          transfer_index: held?.transfer_index ?? 0,
          block_hash: held?.block_hash ?? ""
        }
        yield* operator["held-arrivals"].refuse({
          params: { network: "ethereum" },
          payload: { ...which, reason: "no explorer has it" }
        })
      }).pipe(Effect.ensuring(Effect.flatMap(Service, ({ liar }) => liar.repent)))
    )
  }

  it.effect("leaves books that agree with the chain", () =>
    Effect.gen(function* () {
      const { check } = yield* Service
      assert.deepInclude(yield* check, { code: 0, stderr: "" })
    })
  )
})

const erc20 = parseAbi(["function transfer(address to, uint256 value)"])
const transferTopic = keccak256(new TextEncoder().encode("Transfer(address,address,uint256)"))
const wordOf = (address: string): Hex => `0x${address.slice(2).toLowerCase().padStart(64, "0")}`

/** The adapter over a node that lies and one that does not, in both orders of preference, with somebody who has coin. */
const world = Effect.gen(function* () {
  const devnet = yield* EvmDevnet.make({ network: "ethereum" })
  const liar = yield* lyingNode(devnet.anvil.rpcUrl)
  const node = (url: string, operator: string): EvmSettings => ({
    ...evmDefaults,
    environment: "SANDBOX",
    network: "ethereum",
    operator,
    rpcUrl: Redacted.make(url),
    confirmations: 1,
    pollIntervalMs: null
  })
  const [bought, honest] = [node(liar.url, "bought"), node(devnet.anvil.rpcUrl, "honest")]
  const over = (settings: EvmSettings) =>
    Effect.map(Layer.build(layerNetworksAlone([settings], localCurrencies)), (context) =>
      adapterOf(Context.get(context, Networks), "ethereum")
    )
  const wallet = walletOn(devnet.anvil.rpcUrl, 1, devnet.anvil.fundedKey)
  /** Signs and sends a transaction, which is final then. */
  const sent = Effect.fnUntraced(function* (to: Hex, value: bigint, data: Hex = "0x") {
    const prepared = yield* Effect.promise(() => wallet.prepareTransactionRequest({ to, value, data, gas: 100_000n }))
    const raw = yield* Effect.promise(() => wallet.signTransaction(prepared))
    const hash = yield* Effect.promise(() => wallet.sendRawTransaction({ serializedTransaction: raw }))
    yield* devnet.faucet.mine(3)
    const order = {
      from: wallet.account.address,
      guard: { _tag: "Sequence", account: wallet.account.address, sequence: BigInt(prepared.nonce) }
    } as const
    return { hash, order, attempts: [{ hash, raw: hexToBytes(raw), validUntil: null }] }
  })
  return {
    devnet,
    liar,
    sent,
    wallet,
    believer: yield* over(bought),
    orders: [
      ["first", yield* over({ ...bought, others: [honest] })],
      ["second", yield* over({ ...honest, others: [bought] })]
    ] as const
  }
})

describe("of two nodes one that lies about what was sent", () => {
  it.live("ends no payment, in whichever order they are asked", () =>
    Effect.gen(function* () {
      const { believer, devnet, liar, orders, sent, wallet } = yield* world
      const token = yield* devnet.faucet.token("USDT_ETH")
      const [to, pauper] = [freshAddress(), 7n]
      const done = yield* sent(to, 5n)
      const data = encodeFunctionData({ abi: erc20, functionName: "transfer", args: [to, pauper] })
      const failed = yield* sent(token.address, 0n, data)
      const event = { topics: [transferTopic, wordOf(wallet.account.address), wordOf(to)], units: pauper }
      const lies: ReadonlyArray<readonly [believed: string, of: typeof done, lie: Lie]> = [
        ["reverted", done, reverting(done.hash)],
        ["replaced_on_chain", done, renaming(done.hash)],
        ["nothing", done, withoutReceipt(done.hash)],
        ["done", failed, succeeding(failed.hash, event)]
      ]
      const conclusion = (sender: ChainSender, { attempts, order }: typeof done) =>
        Effect.match(sender.status(order, attempts), {
          onFailure: () => "nothing",
          onSuccess: (status) =>
            status._tag === "Final" ? status.effect : status._tag === "Invalidated" ? status.reason : "nothing"
        })
      for (const [preference, { sender }] of orders) {
        for (const [believed, of, lie] of lies) {
          yield* liar.tell(lie)
          // whoever asks that node alone is deceived
          assert.strictEqual(yield* conclusion(believer.sender, of), believed)
          assert.strictEqual(yield* conclusion(sender, of), "nothing", `${preference}: ${believed}`)
          yield* liar.repent
        }
        const ends = yield* Effect.forEach([done, failed], (of) => conclusion(sender, of))
        assert.deepStrictEqual(ends, ["done", "reverted"], preference)
      }
    }).pipe(Effect.scoped)
  )

  it.live("proves no payment that another node denies, and denies none that another proves", () =>
    Effect.gen(function* () {
      const { liar, orders, sent } = yield* world
      const [to, other] = [freshAddress(), freshAddress()]
      const { hash } = yield* sent(to, 5n)
      const claimed = (units: bigint, receiver: string) => ({
        txHash: hash,
        contract: null,
        units,
        to: receiver,
        senders: [],
        memo: null
      })
      for (const [preference, { parseAddress, sender }] of orders) {
        const canonical = (text: string) => Result.getOrThrow(parseAddress(text))
        const verdict = (units: bigint, receiver: string) =>
          Effect.map(sender.prove(claimed(units, canonical(receiver))), (proof) => proof.verdict)
        assert.strictEqual(yield* verdict(5n, to), "PROVEN", preference)
        // where the liar's answers cannot be read, the other's are what one node alone says
        for (const [lie, units, receiver, said] of [
          [inflating(hash, much), much, to, "UNREADABLE"],
          [inflating(hash, much), 5n, to, "UNREADABLE"],
          [redirecting(hash, other), 5n, other, "UNREADABLE"],
          [reverting(hash), 5n, to, "UNREADABLE"],
          [renaming(hash), 5n, to, "NOT_FINAL"]
        ] as const) {
          yield* liar.tell(lie)
          assert.strictEqual(yield* verdict(units, receiver), said, `${preference}: ${units} to ${receiver}`)
          yield* liar.repent
        }
        assert.strictEqual(yield* verdict(much, to), "NOT_PROVEN", preference)
      }
    }).pipe(Effect.scoped)
  )

  it.live("makes no balance larger than another node says", () =>
    Effect.gen(function* () {
      const { devnet, liar, orders, sent } = yield* world
      const to = freshAddress()
      yield* sent(to, 5n)
      const token = yield* devnet.faucet.token("USDT_ETH")
      yield* devnet.faucet.mint(token, to, 9n)
      yield* liar.tell(holding(to, much))
      for (const [preference, { sender }] of orders) {
        assert.strictEqual(yield* sender.balance(to, null), 5n, preference)
        assert.strictEqual(yield* sender.balance(to, token.address), 9n, preference)
      }
      assert.isAbove(yield* liar.lied, 0)
    }).pipe(Effect.scoped)
  )
})
