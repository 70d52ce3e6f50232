import { addressOfKey } from "./account.ts"

/** When the first block was made: always the same, so that its id is. */
export const genesisTime = 1_600_000_000_000

/** The private key of an account that has coin and tokens from the first block on. It is public knowledge: for local use only. */
export const fundedKey = "da146374a75310b9666e834ee4ad0866d6f4035967bfc76217c5a495fff9f0d0"

/** The private key of the account from which the faucet pays. */
export const faucetKey = "b5a21b431f4a74594bd036567b5a4f02cf2a93a6c0b2f67a0cd44ef268c47ea2"

/** What accounts hold in the first block: sun, and base units of every token. */
export const accounts = [
  { address: addressOfKey(fundedKey), sun: 1_000_000_000_000n, tokenUnits: 1_000_000_000_000n },
  { address: addressOfKey(faucetKey), sun: 90_000_000_000_000_000n, tokenUnits: 90_000_000_000_000_000n }
]
