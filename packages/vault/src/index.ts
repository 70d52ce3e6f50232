/** Secrets under master keys: what is stored sealed, the keys that open it, and the vault that signs with them. */
export * as Ceremony from "./ceremony.ts"
export * as MasterKeys from "./MasterKeys.ts"
export * as MasterKeySecretBox from "./MasterKeySecretBox.ts"
export * as SealedCustody from "./SealedCustody.ts"
export * as SealedSigner from "./SealedSigner.ts"
export { reencryptKeys, type Reencrypted, reencryptSecrets } from "./reencrypt.ts"
export * as SealedVault from "./SealedVault.ts"
export * as SignedOrders from "./SignedOrders.ts"
