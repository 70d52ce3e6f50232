import { hash, Keypair } from "@stellar/stellar-sdk/base"
import { type Account, newAccount } from "./Account.ts"
import { issuer, totalCoins, unitsMax, usdc } from "./network.ts"
import type { Accounts } from "./State.ts"

/** The secret key of an account that has coin and dollars from the first ledger on. Public knowledge: for local use only. */
export const fundedSecret = "SD3SYAPKNMGK5CLJA4OS642PB2O7KZORWJ6BI54TK7OUNZHGW2CPGWR7"

const fundedUnits = 10_000_000_0000000n

/** Coin that the issuer has to change against dollars. */
const issuerUnits = 1_000_000_000_0000000n

/** The key that a text stands for. */
const keyOf = (text: string): Keypair => Keypair.fromRawEd25519Seed(hash(text))

/** The account that has all coin that nobody else has; its key follows from the passphrase, as on a real network. */
export const rootKey = (passphrase: string): Keypair => Keypair.master(passphrase)

/** The key with which the control server signs for the issuer, who has it as a further signer. */
export const issuerKey = (passphrase: string): Keypair => keyOf(`issuer of ${passphrase}`)

/** The accounts of the first ledger. */
export const genesisAccounts = (passphrase: string, time: number): Accounts => {
  const account = (id: string, balance: bigint): Account => newAccount(id, balance, 1, time)
  const funded = Keypair.fromSecret(fundedSecret).publicKey()
  const root = rootKey(passphrase).publicKey()
  return new Map([
    [root, account(root, totalCoins - fundedUnits - issuerUnits)],
    [issuer, { ...account(issuer, issuerUnits), signers: new Map([[issuerKey(passphrase).publicKey(), 1]]) }],
    [
      funded,
      {
        ...account(funded, fundedUnits),
        trustlines: new Map([[usdc, { balance: fundedUnits, limit: unitsMax, authorized: true, modified: 1 }]])
      }
    ]
  ])
}
