/** On what terms the custodian and the tenants deal. */
export const terms = {
  network: "ethereum",
  networkFeeBorneBy: "SERVICE",
  conversionFee: "RECEIVED",
  feePercent: { units: 1n, decimals: 0 },
  slippageBps: 50
} as const
