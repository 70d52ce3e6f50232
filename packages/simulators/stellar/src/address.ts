import { extractBaseAddress, Keypair, MuxedAccount, StrKey, type xdr } from "@stellar/stellar-sdk/base"

/** The account (`G…`) behind an address, muxed or not. */
export const accountOf = (address: string): string => extractBaseAddress(address)

/** Whether a text is an account, muxed or not, with a valid checksum. */
export const isAddress = (text: string): boolean =>
  StrKey.isValidEd25519PublicKey(text) || StrKey.isValidMed25519PublicKey(text)

/** The muxed form of an address and the id in it; undefined where it is not muxed. */
export const muxedOf = (address: string): { readonly address: string; readonly id: string } | undefined =>
  address.startsWith("M") ? { address, id: MuxedAccount.fromAddress(address, "0").id() } : undefined

/** An account as XDR has it. */
export const publicKeyOf = (account: string): xdr.PublicKeyWire => ({
  type: 0,
  ed25519: Keypair.fromPublicKey(account).rawPublicKey()
})
