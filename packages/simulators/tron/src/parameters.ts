/** Sun for one unit of energy (`getEnergyFee`). */
export const energyPrice = 100n

/** Sun for one byte of bandwidth (`getTransactionFee`). */
export const bandwidthPrice = 1_000n

/** Sun that a transfer pays to make its receiver's account active (`getCreateNewAccountFeeInSystemContract`). */
export const activationFee = 1_000_000n

/** Sun that such a transfer pays for bandwidth when its sender has none staked (`getCreateAccountFee`). */
export const activationBandwidthFee = 100_000n

/** Bytes an account may use a day without paying (`getFreeNetLimit`). */
export const freeBandwidth = 600n

/** How long used bandwidth takes to come back. */
export const bandwidthWindowMs = 86_400_000n

/** The most that a transaction may allow itself to burn for energy (`getMaxFeeLimit`). */
export const feeLimitMax = 15_000_000_000n

/** How far ahead of the newest block a transaction may expire. */
export const expirationAheadMsMax = 86_400_000n

/** When a transaction expires that the node makes, counted from the newest block. */
export const expirationDefaultMs = 60_000n

/** Bytes that a transaction may have. */
export const transactionBytesMax = 512_000

/** What a transaction's result counts for in bandwidth. */
export const resultBytes = 64n

/** The parameters as `getchainparameters` lists them, as far as wallets read them. */
export const chainParameters: ReadonlyArray<{ readonly key: string; readonly value?: bigint }> = [
  { key: "getMaintenanceTimeInterval", value: 21_600_000n },
  { key: "getAccountUpgradeCost", value: 9_999_000_000n },
  { key: "getCreateAccountFee", value: activationBandwidthFee },
  { key: "getTransactionFee", value: bandwidthPrice },
  { key: "getWitnessPayPerBlock", value: 8_000_000n },
  { key: "getCreateNewAccountFeeInSystemContract", value: activationFee },
  { key: "getCreateNewAccountBandwidthRate", value: 1n },
  { key: "getAllowCreationOfContracts", value: 1n },
  { key: "getEnergyFee", value: energyPrice },
  { key: "getMaxCpuTimeOfOneTx", value: 80n },
  { key: "getMemoFee", value: 0n },
  { key: "getFreeNetLimit", value: freeBandwidth },
  { key: "getMaxFeeLimit", value: feeLimitMax },
  { key: "getAllowDynamicEnergy", value: 0n }
]
