import * as Bitcoin from "@bursar/bitcoin"
import type { BitcoinChainName } from "@bursar/bitcoin/BitcoinNetwork"
import type { Network } from "@bursar/core/money/Network"
import { type CheckedXpub, Derivations, type XpubRefused } from "@bursar/core/port/Derivations"
import * as Evm from "@bursar/evm/xpub"
import { accountOfPublicKey } from "@bursar/stellar/accountOfPublicKey"
import { muxed } from "@bursar/stellar/StellarAddress"
import { fromEvmHex } from "@bursar/tron/TronAddress"
import * as Tron from "@bursar/tron/xpub"
import { Effect, Layer, Result } from "effect"
import type { NetworkSettings } from "../config/NetworkSettings.ts"

/** How addresses follow from keys on one kind of network. */
interface Derivation {
  readonly parse: (text: string) => Result.Result<CheckedXpub, XpubRefused>
  /** The address at an index below a canonical account; what depends on the account alone is done once. */
  readonly below: (account: string) => (index: number) => string
  readonly addressesOf: (publicKey: Uint8Array) => ReadonlyArray<string>
}

const evm: Derivation = {
  parse: (text) => Result.map(Evm.parseXpub(text), (xpub) => ({ canonical: xpub.text })),
  below: (account) => {
    const xpub = Result.getOrThrow(Evm.parseXpub(account))
    return (index) => Evm.deriveAddress(xpub, index)
  },
  addressesOf: (publicKey) => [Evm.addressOfPublicKey(publicKey)]
}

const tron: Derivation = {
  parse: (text) => Result.map(Tron.parseXpub(text), (xpub) => ({ canonical: xpub.text })),
  below: (account) => {
    const xpub = Result.getOrThrow(Tron.parseXpub(account))
    return (index) => Tron.deriveAddress(xpub, index)
  },
  // the same hash of the same key, written in another way
  addressesOf: (publicKey) => [fromEvmHex(Evm.addressOfPublicKey(publicKey).slice(2).toLowerCase())]
}

const bitcoin = (chain: BitcoinChainName): Derivation => ({
  parse: (text) => Bitcoin.parseXpub(chain, text),
  below: (account) => {
    const xpub = Result.getOrThrow(Bitcoin.parseXpub(chain, account))
    return (index) => Bitcoin.deriveAddress(xpub, index)
  },
  addressesOf: (publicKey) => Bitcoin.publicKeyAddresses(chain, publicKey)
})

const stellar: Derivation = {
  parse: () =>
    Result.fail({
      code: "xpub_invalid",
      message: "There are no extended public keys on stellar: every step of its derivation needs the private key."
    }),
  below: (account) => (index) => muxed(account, BigInt(index)),
  addressesOf: (publicKey) => [accountOfPublicKey(publicKey)]
}

/** After this many addresses others get their turn: about four milliseconds. */
const addressesPerTurn = 16

/** How addresses follow from keys. Bitcoin's depend on the chain that is configured, the main one where none is. */
export const layerDerivations = (settings: ReadonlyArray<NetworkSettings>): Layer.Layer<Derivations> =>
  Layer.sync(Derivations, () => {
    const chain = settings.find((one) => one.network === "bitcoin")?.chain ?? "main"
    const byNetwork: Readonly<Record<Network, Derivation>> = {
      ethereum: evm,
      bsc: evm,
      base: evm,
      tron,
      bitcoin: bitcoin(chain),
      stellar
    }
    return Derivations.of({
      parse: (network, text) => byNetwork[network].parse(text),
      derive: Effect.fn("Derivations.derive")(function* (network, account, from, count) {
        const at = byNetwork[network].below(account)
        const addresses: Array<string> = []
        for (let index = from; index < from + count; index++) {
          if (addresses.length > 0 && addresses.length % addressesPerTurn === 0) yield* Effect.yieldNow
          addresses.push(at(index))
        }
        return addresses
      }),
      addressesOf: (network, publicKey) => byNetwork[network].addressesOf(publicKey)
    })
  })
