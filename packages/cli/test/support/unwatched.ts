const of = (kind: string, ...fields: ReadonlyArray<string>): ReadonlyArray<string> =>
  fields.map((field) => (field === "" ? kind : `${kind}.${field}`))

const head = (...fields: ReadonlyArray<string>) => of("head.tenant", ...fields)

/**
 * What of a tenant's rows can be altered or taken away without the checker noticing, by why that is. What is here is watched by something else, moves no
 * money, or is known to nothing else that it could be held against.
 */
export const unwatched: Readonly<Record<string, ReadonlyArray<string>>> = {
  "said by a chain or a provider, which are asked again: reconciliation and second nodes watch them": [
    ...of("Deposit", "block.hash", "block.time", "confirmations", "fromAddress", "requiredConfirmations"),
    ...of("OutboundTransaction", "blockNumber"),
    ...of("Operation", "providerReference", "txHash", "details.from_address", "details.said"),
    ...of("Operation", "networkFee", "networkFee.currency", "networkFee.units", "details.network_fee_borne_by"),
    ...of("event", "data.block_number", "data.confirmations", "data.required_confirmations", "data.provider_reference"),
    ...of("ProviderOrder", "", "operationId", "provider", "providerReference")
  ],
  "verified before money moves, by grants, by the partner's signature or by the signer": [
    ...of("Operation", "details.signature.body", "details.signature.keyid", "details.signature.signature"),
    ...of("Operation", "details.signature.signature_base", "details.made_by", "details.review"),
    ...of("Payout", "cancelledBy", "madeBy", "reviewedBy"),
    ...of("PayoutWallet", "address", "custodied", "index", "role", "seedId"),
    ...of("OutboundTransaction", "from", "guard.account", "payments.memo", "payments.operationId", "payments.to"),
    ...of("OutboundTransaction", "drain", "salt"),
    ...of("TransactionAttempt", "feeMax", "pays", "validUntil"),
    ...of("DepositAddress", "", "address", "derivationIndex", "id", "network", "origin", "seedId"),
    ...of("DepositAddress", "siblingOf", "tenantId", "xpubId"),
    ...of("IssuingAccount", "", "accountKey", "family", "nextIndex", "seedId", "tenantId"),
    ...of("Sweep", "account", "key.index", "key.seedId"),
    ...of("SweepableDeposit", "contract", "key.index", "key.seedId"),
    ...of("Deposit", "addressId"),
    ...head("id", "kind", "policy.addressProofRequired", "policy.adjustmentReviewUsd", "policy.ceilingPerMinute"),
    ...head(
      "policy.creditHistorical",
      "policy.creditOrigins",
      "policy.destinationCoolingHours",
      "policy.holdOnArrival"
    ),
    ...head("policy.holdOnImport", "policy.holdOnIssuance", "policy.payoutDailyLimitUsd", "policy.payoutLimitUsd"),
    ...head("policy.payoutNewAddressLimitUsd", "policy.payoutReviewUsd", "policy.payoutsEnabled", "policy.slippageBps"),
    ...head("policy.withdrawalLimitUsd", "policy.withdrawalReviewUsd", "policy.withdrawalWindowHours"),
    ...head("policy.withdrawalsEnabled", "status")
  ],
  "held against the log of operators' actions, which this check is not given": [
    ...of("Destination", "", "address", "createdAt", "currency", "id", "label", "memo", "network", "proposedBy"),
    ...of("Destination", "rejectedAt", "rejectedReason", "usableFrom", "verifiedAt", "verifiedBy")
  ],
  "told by a partner, or for people, and nothing is decided by it afterwards": [
    ...of("Operation", "actsFor", "customerId", "partnerReference", "provider", "details.reason"),
    ...of("Operation", "details.assigned.adjustment_id"),
    ...of("Operation", "details.failure_detail", "details.failure_reason", "details.fee_rule", "details.asked"),
    ...of("Operation", "details.destination.memo_type", "details.usd_price.decimals", "details.usd_price.source"),
    ...of("Operation", "details.usd_price.units", "details.sent_at"),
    ...of("Deposit", "reference", "tenantId", "reorgedAt", "confirmedAt", "detectedAt"),
    ...of("DepositAddress", "reference"),
    ...of("IdempotencyRecord", "outcome.body.key", "outcome.code", "outcome.detail.available.amount"),
    ...of("IdempotencyRecord", "outcome.detail.available.currency", "outcome.detail.backed.amount"),
    ...of("IdempotencyRecord", "outcome.detail.backed.currency", "outcome.detail.required.amount"),
    ...of("IdempotencyRecord", "outcome.detail.required.currency", "outcome.message"),
    ...of("event", "data.reference", "data.address", "data.historical", "data.status", "data.transfer_index"),
    ...of("event", "data.change_seq"),
    ...of("OutboundTransaction", "problem"),
    ...of("Sweep", "problem"),
    ...head("name", "slug")
  ],
  "a moment, or a count of tries, which moves nothing but when something is looked at next": [
    ...of("Operation", "createdAt", "details.failed_at"),
    ...of("OutboundTransaction", "asked", "endedAt", "lastSentAt", "reservedAt", "sentAt", "signedAt", "signingUntil"),
    ...of("OutboundTransaction", "givenUpAfter"),
    ...of("TransactionAttempt", "sentAt", "signedAt"),
    ...of("Payout", "alone", "attempts", "waits"),
    ...of("PayoutWallet", "createdAt", "nextSalt"),
    ...of("Sweep", "closedAt", "createdAt", "endedAt"),
    ...of("SweepAccount", "", "account", "failures", "network", "nextSalt", "nextSequence", "transactionId"),
    ...of("DepositAddress", "createdAt", "registeredAtBlock", "retiredAt", "sweepHold", "watchFrom"),
    ...of("DepositAddress", "watchFromBlock", "watchNowUntil"),
    ...of("IssuingAccount", "createdAt"),
    ...of("IdempotencyRecord", "recordedAt"),
    ...of("event", "occurredAt"),
    ...of("job", "", "dueAt", "key", "queue", "tenantId"),
    ...of("head", "lastAt"),
    ...head("createdAt")
  ],
  "of what is over or under way, where it is allowed to be otherwise": [
    ...of("Operation", "status", "unresolved", "network", "tenantId", "toAmountQuoted", "toAmountQuoted.currency"),
    ...of("Operation", "toAmountQuoted.units", "details.deposit_id", "details.destination.address"),
    ...of("Operation", "details.destination.memo", "details.floor", "details.new_address", "details.origin"),
    ...of("Operation", "details.to_currency", "details.usd_cents"),
    ...of("Deposit", "ownUnits"),
    ...of("OutboundTransaction", "fee", "feeMax", "guard.sequence", "outcome", "purpose"),
    ...of("PayoutWallet", "nextSequence"),
    ...of("Sweep", "deposits.depositId", "topUpTransactionId")
  ],
  "known to nothing else": [
    ...of("IdempotencyRecord", "", "endpoint", "fingerprint", "key", "resourceId"),
    ...of("PaidAddress", "", "address", "firstPaidAt", "network"),
    ...of("IntakeCost", "", "count", "currency", "feeUnits", "native", "since", "until", "usdCents")
  ],
  "one of a few words, and no storage takes another": [
    ...of("leg", "direction"),
    ...of("OutboundTransaction", "guard._tag"),
    ...of("IdempotencyRecord", "outcome._tag"),
    ...of("Sweep", "key._tag"),
    ...of("SweepableDeposit", "key._tag")
  ]
}
