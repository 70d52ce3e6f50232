/** Secrets under master keys: what is stored sealed, and the keys that open it. */
export * as MasterKeys from "./MasterKeys.ts"
export * as MasterKeySecretBox from "./MasterKeySecretBox.ts"
