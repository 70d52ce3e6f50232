import { type BitcoinChainName, deriveAddress, derivePublicKey, parseXpub, publicKeyAddresses } from "@bursar/bitcoin"
import { realNode } from "@bursar/testkit/fixtures/realNode"
import { assert, describe, it } from "@effect/vitest"
import { BIP32Factory } from "bip32"
import { Effect, Result } from "effect"
import { createHash } from "node:crypto"
import * as ecc from "tiny-secp256k1"
import { startBitcoind } from "./support/Bitcoind.ts"
import { type Rpc, rpcTo } from "./support/Rpc.ts"

const { found: binary, skipped } = realNode("BITCOIND")

/** The versions of accounts' keys: the one that the node knows, and those that say how addresses are locked (SLIP-132). */
const versions = {
  main: { plain: 0x0488b21e, p2wpkh: 0x04b24746, "p2sh-p2wpkh": 0x049d7cb2 },
  regtest: { plain: 0x043587cf, p2wpkh: 0x045f1cf6, "p2sh-p2wpkh": 0x044a5262 }
} as const

const descriptors = {
  p2wpkh: (key: string) => `wpkh(${key})`,
  "p2sh-p2wpkh": (key: string) => `sh(wpkh(${key}))`
} as const

/** First and last index of each range that is compared. The last is the largest that there is. */
const ranges = [
  [0, 99],
  [65_530, 65_540],
  [2_147_483_640, 2_147_483_647]
] as const

const bip32 = BIP32Factory(ecc)

/** An account's key under a version of its own; accounts of different names have different keys. */
const accountOf = (name: string, version: number): string => {
  const network = { messagePrefix: "", bech32: "", pubKeyHash: 0, scriptHash: 0, wif: 0 }
  const seed = createHash("sha256").update(`bursar ${name}`).digest()
  const root = bip32.fromSeed(seed, { ...network, bip32: { public: version, private: 0x0488ade4 } })
  return root.derivePath("m/84'/0'/0'").neutered().toBase58()
}

const derivedBy = Effect.fnUntraced(function* (rpc: Rpc, descriptor: string, ...range: ReadonlyArray<unknown>) {
  const { descriptor: whole } = yield* rpc<{ readonly descriptor: string }>("getdescriptorinfo", descriptor)
  return yield* rpc<ReadonlyArray<string>>("deriveaddresses", whole, ...range)
})

describe.skipIf(binary === undefined)(`derivation beside Bitcoin Core${skipped}`, () => {
  for (const chain of ["main", "regtest"] satisfies ReadonlyArray<BitcoinChainName>) {
    it.live(
      `gives the node's own addresses on ${chain}`,
      () =>
        Effect.gen(function* () {
          // Without peers: of the main network it needs nothing but its rules.
          const url = yield* startBitcoind(binary ?? "", [`-chain=${chain}`, "-connect=0", "-dnsseed=0"])
          const rpc = rpcTo(url)
          for (const scriptType of ["p2wpkh", "p2sh-p2wpkh"] as const) {
            for (const name of ["one", "other"]) {
              const xpub = Result.getOrThrow(parseXpub(chain, accountOf(name, versions[chain][scriptType])))
              assert.strictEqual(xpub.scriptType, scriptType)
              const descriptor = descriptors[scriptType](`${accountOf(name, versions[chain].plain)}/0/*`)
              for (const [first, last] of ranges) {
                const indices = Array.from({ length: last - first + 1 }, (_, offset) => first + offset)
                assert.deepStrictEqual(
                  indices.map((index) => deriveAddress(xpub, index)),
                  yield* derivedBy(rpc, descriptor, [first, last])
                )
              }
              const publicKey = derivePublicKey(xpub, 7)
              const key = Buffer.from(publicKey).toString("hex")
              const ways = [`wpkh(${key})`, `sh(wpkh(${key}))`, `pkh(${key})`]
              assert.deepStrictEqual(
                publicKeyAddresses(chain, publicKey),
                (yield* Effect.forEach(ways, (way) => derivedBy(rpc, way))).flat()
              )
            }
          }
        }),
      60_000
    )
  }
})
