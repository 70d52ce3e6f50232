/** The TypeScript client of a Bursar service: typed calls derived from the contract, and verification of webhooks. */
export { makeOperatorClient, type OperatorClient, type OperatorClientOptions } from "./OperatorClient.ts"
export { type ClientOptions, makePartnerClient, type PartnerClient } from "./PartnerClient.ts"
export { verifyWebhook, type WebhookDelivery, type WebhookProblem } from "./verifyWebhook.ts"
