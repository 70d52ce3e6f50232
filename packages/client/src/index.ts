/** The TypeScript client of a Bursar service: typed calls derived from the contract, and verification of webhooks. */
export { makeOperatorClient, type OperatorClientOptions } from "./OperatorClient.ts"
export { type ClientOptions, makePartnerClient } from "./PartnerClient.ts"
export { verifyWebhook, type WebhookDelivery, type WebhookProblem } from "./verifyWebhook.ts"
