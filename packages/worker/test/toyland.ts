import { createHash } from "node:crypto"
import type { NetworkTraits } from "@bursar/core/money/Network"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { guardedNetwork } from "@bursar/network-kit/guardedNetwork"
import { accountNameAt, keysAt } from "@bursar/testkit/fixtures/deposits"
import { Effect, Result } from "effect"

/** A network of a family of its own, which no code outside of the tests names. */
export const traits: NetworkTraits = {
  name: "toyland",
  family: "toy",
  environment: "LIVE",
  nativeAsset: { code: "TOY", decimals: 4 },
  accountModel: "nonce",
  underWayMax: 5,
  provisioned: false,
  issues: "keys",
  hashPrefix: "",
  keyPaths: { curve: "secp256k1", account: "m/44'/1'/0'", wallet: (index) => `m/44'/1'/0'/1/${index}` },
  messageFormat: "EIP-191",
  limits: {
    feeMax: 1_000n,
    topUpMax: 0n,
    sweepKeeps: 0n,
    sweepCostShareMaxPercent: null,
    unresolvedAfterMs: 600_000
  }
}

const digestOf = (text: string | Uint8Array): Uint8Array => createHash("sha256").update(text).digest()

const lettersOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => String.fromCodePoint(97 + (byte % 26))).join("")

/** The letters that guard a word against slips. */
const checkOf = (word: string): string => lettersOf(digestOf(word).subarray(0, 4))

/** The address of a word of letters: `toy-`, the word, and four letters that follow from it. */
export const toyAddress = (word: string): string => `toy-${word}${checkOf(word)}`

const parseAddress: NetworkAdapter["parseAddress"] = (text) => {
  const [, word, check] = /^toy-([a-z]+)([a-z]{4})$/u.exec(text) ?? []
  if (word === undefined) return Result.fail("An address of toyland begins with toy-.")
  return check === checkOf(word) ? Result.succeed(text) : Result.fail("The address was mistyped.")
}

/** The public key at an index below an account: in the form of one of secp256k1, and of no curve. */
export const toyKeyAt = (account: string, index: number): Uint8Array =>
  Uint8Array.of(2, ...digestOf(`${account}/${index}`))

const addressOf = (publicKey: Uint8Array): string => toyAddress(lettersOf(digestOf(publicKey).subarray(0, 16)))

/** What the key of an address signs. */
export const toySignature = (address: string, message: string): string =>
  Buffer.from(digestOf(`${address}|${message}`)).toString("hex")

/** Toyland over a reader and a sender. Its keys are hashes, and nothing is signed. */
export const toylandOver = (
  parts: Pick<NetworkAdapter, "reader" | "sender"> & Partial<NetworkAdapter>
): NetworkAdapter =>
  guardedNetwork({
    traits,
    chainId: "toy chain",
    parseAddress,
    keys: {
      parse: (text) =>
        /^toyxpub-[a-z]+$/u.test(text)
          ? Result.succeed({ canonical: text })
          : Result.fail({ code: "xpub_invalid", message: "An account of toyland begins with toyxpub-." }),
      accountKeyName: accountNameAt,
      derive: (account, from, count) =>
        Effect.sync(() =>
          Array.from({ length: count }, (_, offset) => {
            const address = addressOf(toyKeyAt(account, from + offset))
            return { address, keys: keysAt(address) }
          })
        ),
      addressesOf: (publicKey) => [addressOf(publicKey)],
      keysOf: keysAt,
      keysOfPublicKey: (publicKey) => keysAt(addressOf(publicKey)),
      verifyMessage: (address, message, signature) => Effect.succeed(signature === toySignature(address, message))
    },
    codec: {
      network: "toyland",
      read: () => Result.fail("nothing is signed here"),
      readSigned: () => Result.fail("nothing is signed here"),
      finish: () => Result.fail("nothing is signed here")
    },
    verifyChain: Effect.void,
    ...parts
  })
