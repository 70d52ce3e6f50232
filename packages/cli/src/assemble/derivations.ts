import * as Bitcoin from "@bursar/bitcoin"
import type { BitcoinChainName } from "@bursar/bitcoin/BitcoinNetwork"
import { evmKey, keccakKey, stellarKey } from "@bursar/core/address/KeyClaim"
import { type KeyedAddress } from "@bursar/core/engine/Directory"
import { type KeyName } from "@bursar/core/engine/Directory"
import type { KeyFamily, Network, NetworkTable } from "@bursar/core/money/Network"
import { type CheckedXpub, Derivations, type XpubRefused } from "@bursar/core/port/Derivations"
import * as Evm from "@bursar/evm/xpub"
import { accountOfPublicKey } from "@bursar/stellar/accountOfPublicKey"
import { demux, muxed } from "@bursar/stellar/StellarAddress"
import { fromEvmHex, toHex } from "@bursar/tron/TronAddress"
import * as Tron from "@bursar/tron/xpub"
import { Effect, Layer, Result } from "effect"
import type { NetworkSettings } from "../config/NetworkSettings.ts"

/** How addresses follow from keys on one kind of network. */
interface Derivation {
  readonly parse: (text: string) => Result.Result<CheckedXpub, XpubRefused>
  /** The address at an index below a canonical account; what depends on the account alone is done once. */
  readonly below: (account: string) => (index: number) => KeyedAddress
  readonly addressesOf: (publicKey: Uint8Array) => ReadonlyArray<string>
  readonly keysOf: (address: string) => ReadonlyArray<KeyName>
  readonly keysOfPublicKey: (publicKey: Uint8Array) => ReadonlyArray<KeyName>
}

const keyed = (address: string, keysOf: (address: string) => ReadonlyArray<KeyName>): KeyedAddress => ({
  address,
  keys: keysOf(address)
})

/** EVM networks, tron and bitcoin are on one curve: a key of one of them is good on all. */
const ofCurve = (publicKey: Uint8Array): ReadonlyArray<KeyName> => [
  evmKey(Evm.addressOfPublicKey(publicKey)),
  ...Bitcoin.keyNamesOfPublicKey(publicKey)
]

const tronKeys = (address: string): ReadonlyArray<KeyName> => {
  const hex = toHex(address)
  if (hex === undefined) throw new Error(`${address} is no address on tron`)
  return [keccakKey(hex.slice(2))]
}

const evm: Derivation = {
  parse: (text) => Result.map(Evm.parseXpub(text), (xpub) => ({ canonical: xpub.text })),
  below: (account) => {
    const xpub = Result.getOrThrow(Evm.parseXpub(account))
    return (index) => keyed(Evm.deriveAddress(xpub, index), (address) => [evmKey(address)])
  },
  addressesOf: (publicKey) => [Evm.addressOfPublicKey(publicKey)],
  keysOf: (address) => [evmKey(address)],
  keysOfPublicKey: ofCurve
}

const tron: Derivation = {
  parse: (text) => Result.map(Tron.parseXpub(text), (xpub) => ({ canonical: xpub.text })),
  below: (account) => {
    const xpub = Result.getOrThrow(Tron.parseXpub(account))
    return (index) => keyed(Tron.deriveAddress(xpub, index), tronKeys)
  },
  // the same hash of the same key, written in another way
  addressesOf: (publicKey) => [fromEvmHex(Evm.addressOfPublicKey(publicKey).slice(2).toLowerCase())],
  keysOf: tronKeys,
  keysOfPublicKey: ofCurve
}

const bitcoin = (chain: BitcoinChainName): Derivation => ({
  parse: (text) => Bitcoin.parseXpub(chain, text),
  below: (account) => {
    const xpub = Result.getOrThrow(Bitcoin.parseXpub(chain, account))
    return (index) => {
      const publicKey = Bitcoin.derivePublicKey(xpub, index)
      return { address: Bitcoin.addressOfKey(xpub, publicKey), keys: Bitcoin.keyNamesOfPublicKey(publicKey) }
    }
  },
  addressesOf: (publicKey) => Bitcoin.publicKeyAddresses(chain, publicKey),
  keysOf: (address) => Bitcoin.keyNamesOfAddress(chain, address),
  keysOfPublicKey: ofCurve
})

const stellar: Derivation = {
  parse: () =>
    Result.fail({
      code: "xpub_invalid",
      message: "There are no extended public keys on stellar: every step of its derivation needs the private key."
    }),
  below: (account) => (index) => ({ address: muxed(account, BigInt(index)), keys: [stellarKey(account)] }),
  addressesOf: (publicKey) => [accountOfPublicKey(publicKey)],
  // a part of an account is the account's: one key signs for them all
  keysOf: (address) => [stellarKey(demux(address)?.account ?? address)],
  keysOfPublicKey: (publicKey) => [stellarKey(accountOfPublicKey(publicKey))]
}

/** After this many addresses others get their turn: about four milliseconds. */
const addressesPerTurn = 16

/** How addresses follow from keys. Bitcoin's depend on the chain that is configured, the main one where none is. */
export const layerDerivations = (
  settings: ReadonlyArray<NetworkSettings>,
  networks: NetworkTable
): Layer.Layer<Derivations> =>
  Layer.sync(Derivations, () => {
    const chain = settings.find((one) => one.family === "bitcoin")?.chain ?? "main"
    const byFamily = new Map<KeyFamily, Derivation>(Object.entries({ evm, tron, bitcoin: bitcoin(chain), stellar }))
    const on = (network: Network): Derivation => {
      const found = byFamily.get(networks.of(network).family)
      if (found === undefined) throw new Error(`nothing is derived on ${network}`)
      return found
    }
    return Derivations.of({
      parse: (network, text) => on(network).parse(text),
      derive: Effect.fn("Derivations.derive")(function* (network, account, from, count) {
        const at = on(network).below(account)
        const addresses: Array<KeyedAddress> = []
        for (let index = from; index < from + count; index++) {
          if (addresses.length > 0 && addresses.length % addressesPerTurn === 0) yield* Effect.yieldNow
          addresses.push(at(index))
        }
        return addresses
      }),
      addressesOf: (network, publicKey) => on(network).addressesOf(publicKey),
      keysOf: (network, address) => on(network).keysOf(address),
      keysOfPublicKey: (network, publicKey) => on(network).keysOfPublicKey(publicKey)
    })
  })
