import { isEvm, type Network } from "../money/Network.ts"

/** Networks on which one key has one address: an index that is used on one of them is used on all. */
export const keyFamilies = ["evm", "tron", "bitcoin", "stellar"] as const

/** Networks on which one key has one address. */
export type KeyFamily = (typeof keyFamilies)[number]

/** The family of a network. */
export const familyOf = (network: Network): KeyFamily => {
  if (network === "tron" || network === "bitcoin" || network === "stellar") return network
  if (isEvm(network)) return "evm"
  throw new Error(`${network} belongs to no family of keys`)
}

/**
 * The account of a tenant's seed whose addresses are issued: BIP 44, on bitcoin BIP 84, on stellar SEP-5. Addresses stand at
 * `0/index` below it; on stellar the account itself is the one key, and its muxed accounts are the addresses.
 */
export const accountPaths: Readonly<Record<KeyFamily, string>> = {
  evm: "m/44'/60'/0'",
  tron: "m/44'/195'/0'",
  bitcoin: "m/84'/0'/0'",
  stellar: "m/44'/148'/0'"
}

/**
 * The path of a key that is paid from: beside the branch of the addresses that are issued, on stellar the accounts after the one
 * whose parts they are.
 */
export const walletPath = (network: Network, index: number): string =>
  network === "stellar" ? `m/44'/148'/${index + 1}'` : `${accountPaths[familyOf(network)]}/1/${index}`
