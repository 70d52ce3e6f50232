import { bitcoinNetwork, type BitcoinNetworkSettings } from "@bursar/bitcoin"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { AdapterWorld } from "@bursar/testkit/suites/adapter/AdapterWorld"
import { BIP32Factory } from "bip32"
import { address as codec } from "bitcoinjs-lib"
import { Effect, Layer, Redacted } from "effect"
import * as ecc from "tiny-secp256k1"
import { Bitcoind } from "./Bitcoind.ts"

const testnet = {
  messagePrefix: "",
  bech32: "bcrt",
  bip32: { public: 0x043587cf, private: 0x04358394 },
  pubKeyHash: 0x6f,
  scriptHash: 0xc4,
  wif: 0xef
}

const root = BIP32Factory(ecc).fromSeed(new Uint8Array(32).fill(7), testnet)
const account = root.derivePath("m/84'/0'/0'").neutered()
const below = account.derive(0)

// A vector of BIP 322: a message is signed for a script, which has an address on every chain.
const mainnet = "bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l"
const canonical = codec.toBech32(codec.fromBech32(mainnet).data, 0, "bcrt")
const signature =
  "AkcwRAIgZRfIY3p7/DoVTty6YZbWS71bc5Vct9p9Fia83eRmw2QCICK/ENGfwLtptFluMGs2KsqoNSk89pO7F29zJLUx9a/sASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI="

/** Bitcoin over a node on regtest, with other settings where a test wants them. */
export const bitcoinOver =
  (rpcUrl: string) =>
  (settings: Partial<BitcoinNetworkSettings> = {}) =>
    bitcoinNetwork({
      traits: presetNetworks.of("bitcoin"),
      rpcUrl: Redacted.make(rpcUrl),
      chain: "regtest",
      ...settings
    })

/** The adapter of bitcoin over a node, in the terms of the suite of adapters. */
export const adapterWorld = Layer.effect(
  AdapterWorld,
  Effect.map(Bitcoind, ({ rpcUrl }) => {
    const adapter = bitcoinOver(rpcUrl)
    return AdapterWorld.of({
      adapter: adapter(),
      astray: adapter({ chain: "main" }),
      account: { key: account.toBase58(), publicKeyAt: (index) => below.derive(index).publicKey },
      spellings: [[canonical.toUpperCase(), canonical]],
      notAddresses: [
        mainnet,
        canonical.replace("bcrt1q", "bcrt1Q"),
        canonical.replace("bcrt1q", "bcrt1p"),
        "1F3sAm6ZtwLAUnj7d38pGFxtP3RVEvtsbV",
        "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"
      ],
      notAccounts: [
        root.derivePath("m/84'/0'/0'").toBase58(),
        root.derivePath("m/84'/0'").neutered().toBase58(),
        below.toBase58(),
        canonical
      ],
      signed: { address: canonical, message: "Hello World", signature }
    })
  })
)
