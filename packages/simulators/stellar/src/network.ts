/** The passphrase that transactions of the local network are signed for, unless another is chosen. */
export const passphraseDefault = "Standalone Network ; February 2017"

/** The version of the protocol that headers name. */
export const protocolVersion = 23

/** Stroops that a transaction pays for each of its operations when nobody competes. */
export const baseFee = 100n

/** Stroops that an account must keep for each entry of its own; two for itself. */
export const baseReserve = 5_000_000n

/** Stroops in existence. */
export const totalCoins = 1_000_000_000_000_000_000n

/** The most that fits in a balance or a limit. */
export const unitsMax = 9_223_372_036_854_775_807n

/** Operations that a transaction may have. */
export const operationsMax = 100

/** A fee must be this many times another's to replace it in the queue. */
export const replaceFeeFactor = 10n

/** The account that issues the dollars of Circle. Its secret key is Circle's; here the control server pays from it. */
export const issuer = "GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN"

/** The asset whose issuer the network begins with, as code and issuer. */
export const usdc = `USDC:${issuer}`

/** The most operations in a ledger. */
export const operationsPerLedgerMax = 1_000
