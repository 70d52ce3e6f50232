import { type KeyPaths, makeNetworkTable, type Network, type NetworkLimits, type NetworkTraits } from "./Network.ts"

const tenMinutesMs = 600_000
const threeHoursMs = 10_800_000

const secp256k1 = (account: string): KeyPaths => ({
  curve: "secp256k1",
  account,
  wallet: (index) => `${account}/1/${index}`
})

/** What all EVM networks have in common: one key has the same address on each of them. */
const evm = {
  family: "evm",
  environment: "LIVE",
  accountModel: "nonce",
  underWayMax: Number.POSITIVE_INFINITY,
  provisioned: false,
  issues: "keys",
  hashPrefix: "0x",
  keyPaths: secp256k1("m/44'/60'/0'"),
  messageFormat: "EIP-191"
} as const satisfies Partial<NetworkTraits>

const ether = 10n ** 18n

/** What an EVM network allows where nothing else is said of it. */
const evmLimits: NetworkLimits = {
  feeMax: ether / 10n,
  topUpMax: ether / 200n,
  sweepKeeps: 0n,
  sweepCostShareMaxPercent: null,
  unresolvedAfterMs: tenMinutesMs
}

/** What the rules have to know of an EVM network; limits that are not given are those of any. */
export const evmTraits = (
  name: Network,
  nativeAsset: NetworkTraits["nativeAsset"],
  limits: Partial<NetworkLimits> = {}
): NetworkTraits => ({ ...evm, name, nativeAsset, limits: { ...evmLimits, ...limits } })

const bitcoin: NetworkTraits = {
  name: "bitcoin",
  family: "bitcoin",
  environment: "LIVE",
  nativeAsset: { code: "BTC", decimals: 8 },
  accountModel: "utxo",
  underWayMax: Number.POSITIVE_INFINITY,
  provisioned: false,
  issues: "keys",
  hashPrefix: "",
  keyPaths: secp256k1("m/84'/0'/0'"),
  messageFormat: "BIP-322",
  limits: {
    feeMax: 5_000_000n,
    topUpMax: 0n,
    sweepKeeps: 0n,
    sweepCostShareMaxPercent: null,
    // blocks are ten minutes apart, and a cheap transaction waits for some of them
    unresolvedAfterMs: threeHoursMs
  }
}

const tron: NetworkTraits = {
  name: "tron",
  family: "tron",
  environment: "LIVE",
  nativeAsset: { code: "TRX", decimals: 6 },
  accountModel: "expiry",
  underWayMax: Number.POSITIVE_INFINITY,
  provisioned: false,
  issues: "keys",
  hashPrefix: "",
  keyPaths: secp256k1("m/44'/195'/0'"),
  messageFormat: "TIP-191",
  limits: {
    feeMax: 500_000_000n,
    topUpMax: 100_000_000n,
    sweepKeeps: 0n,
    sweepCostShareMaxPercent: 20,
    unresolvedAfterMs: tenMinutesMs
  }
}

const stellar: NetworkTraits = {
  name: "stellar",
  family: "stellar",
  environment: "LIVE",
  nativeAsset: { code: "XLM", decimals: 7 },
  accountModel: "sequence",
  underWayMax: 1,
  provisioned: true,
  issues: "muxed",
  hashPrefix: "",
  keyPaths: {
    curve: "ed25519",
    account: "m/44'/148'/0'",
    // the account of index 0 is the one whose parts are issued
    wallet: (index) => `m/44'/148'/${index + 1}'`
  },
  messageFormat: "SEP-53",
  limits: {
    feeMax: 100_000_000n,
    topUpMax: 0n,
    // the account pays fees from it
    sweepKeeps: 10_000_000n,
    sweepCostShareMaxPercent: null,
    unresolvedAfterMs: tenMinutesMs
  }
}

/** The six networks of the partner contract, in the order in which it lists them. */
export const presetNetworks = makeNetworkTable([
  tron,
  evmTraits("ethereum", { code: "ETH", decimals: 18 }, { topUpMax: ether / 20n }),
  evmTraits("bsc", { code: "BNB", decimals: 18 }, { topUpMax: ether / 50n }),
  evmTraits("base", { code: "ETH_BASE", decimals: 18 }),
  bitcoin,
  stellar
])
