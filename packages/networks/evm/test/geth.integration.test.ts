import { deriveAddress, parseXpub } from "@bursar/evm/Keys"
import { makeEvmReader, TransferIndex } from "@bursar/evm"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import { assert, describe, layer } from "@effect/vitest"
import { BIP32Factory } from "bip32"
import { Cause, Effect, Exit, Redacted, Result } from "effect"
import * as ecc from "tiny-secp256k1"
import { privateKeyToAccount } from "viem/accounts"
import { geth, GethWorld } from "./support/GethWorld.ts"

const timeoutMs = 120_000
const gwei = 1_000_000_000n
const coin = 10n ** 18n

const account = BIP32Factory(ecc).fromSeed(new Uint8Array(32).fill(7)).derivePath("m/44'/60'/0'")

const signerAt = (index: number) =>
  privateKeyToAccount(`0x${Buffer.from(account.derive(0).derive(index).privateKey ?? []).toString("hex")}`)

/** A payment of one wei that the key at an index has signed, as its account's first. */
const signedBy = (index: number, to: Hex) =>
  Effect.promise(() =>
    signerAt(index).signTransaction({
      ...{ type: "eip1559", chainId: 1, nonce: 0, to, value: 1n, gas: 21_000n },
      ...{ maxFeePerGas: 100n * gwei, maxPriorityFeePerGas: gwei }
    })
  )

describe.skipIf(geth.found === undefined)(`geth${geth.skipped}`, () => {
  layer(GethWorld.layer, { excludeTestServices: true, timeout: timeoutMs })("a network of geth", (it) => {
    it.effect(
      "takes the key below an account for that of the address derived from its xpub, and no other key",
      () =>
        Effect.gen(function* () {
          const { address, node, paid } = yield* GethWorld
          const xpub = Result.getOrThrow(parseXpub(account.neutered().toBase58()))
          const chain = makeEvmReader({ network: "ethereum", rpcUrl: Redacted.make(node.rpcUrl), contracts: [] })
          for (const index of [0, 1, 1_000_000]) {
            const derived = deriveAddress(xpub, index)
            yield* paid(derived, coin)
            const to = yield* address
            // What another key signs is its own account's, which has nothing.
            const foreign = yield* Effect.exit(node.rpc("eth_sendRawTransaction", [yield* signedBy(index + 7, to)]))
            assert.match(Exit.isFailure(foreign) ? Cause.pretty(foreign.cause) : "taken", /insufficient funds/u)
            const hash = yield* node.rpc<Hex>("eth_sendRawTransaction", [yield* signedBy(index, to)])
            yield* node.mine
            const receipt = yield* node.rpc<{ readonly blockHash: Hex; readonly from: Hex; readonly status: Hex }>(
              "eth_getTransactionReceipt",
              [hash]
            )
            assert.deepStrictEqual([receipt.from, receipt.status], [derived.toLowerCase(), "0x1"])
            const block = yield* chain.block(receipt.blockHash)
            const { transfers } = block
            assert.deepStrictEqual(
              transfers.map(({ from, to: receiver, transferIndex, units }) => [from, receiver, transferIndex, units]),
              [[derived, to, TransferIndex.native, 1n]]
            )
            const changes = yield* chain.balanceChanges?.(block, [derived, to]) ?? Effect.succeed([])
            assert.sameMembers(
              changes.map((change) => change.address),
              [derived, to]
            )
            assert.strictEqual(changes.find((change) => change.address === to)?.units, 1n)
          }
        }),
      timeoutMs
    )

    it.effect(
      "finds what validators withdraw: from nobody, under the hash of the block",
      () =>
        Effect.gen(function* () {
          const { address, node, pay } = yield* GethWorld
          const [one, other, third] = [yield* address, yield* address, yield* address]
          const chain = makeEvmReader({ network: "ethereum", rpcUrl: Redacted.make(node.rpcUrl), contracts: [] })
          const txHash = yield* pay(third, 1n)
          const payments = Array.from({ length: 20 }, (_, index) => ({
            to: index === 0 ? one : other,
            gwei: 32n * gwei
          }))
          yield* node.minePaying(payments)
          const { hash } = yield* node.rpc<{ readonly hash: Hex }>("eth_getBlockByNumber", ["latest", false])
          const { transfers, unread } = yield* chain.block(hash)
          assert.isUndefined(unread)
          const withdrawn = { txHash: hash, contract: null, units: 32n * coin, from: null }
          assert.strictEqual(transfers.length, 21)
          assert.strictEqual(transfers[0]?.txHash, txHash)
          assert.deepStrictEqual(transfers.slice(1, 3), [
            { ...withdrawn, transferIndex: 5_000_000, to: one },
            { ...withdrawn, transferIndex: 5_000_001, to: other }
          ])
          const { held } = yield* chain.holdings([one])
          assert.strictEqual(held[0]?.units, 32n * coin)
        }),
      timeoutMs
    )
  })
})
