import { entryOf, type ErrorCode, errorCodes } from "./Catalogue.ts"

const section = (code: ErrorCode): string => {
  const { doc, message, retryable, status } = entryOf(code)
  const again = retryable
    ? "Send the same request again, with the same idempotency key, after `Retry-After` seconds."
    : "Sending the same request again does not help."
  return `## \`${code}\`\n\nStatus ${status}. “${message}”\n\n${doc} ${again}\n`
}

const row = (code: ErrorCode): string => {
  const { message, retryable, status } = entryOf(code)
  return `| ${status} | [\`${code}\`](#${code}) | ${message} | ${retryable ? "yes" : "no"} |`
}

/** The page of the manual about errors, in Markdown, with a section for each code. */
export const errorDocument = (): string =>
  `# Errors

<!-- Written from packages/api/src/errors/Catalogue.ts by packages/api/scripts/generate-error-docs.ts. -->

This page is for partners. It lists every error code, what it means and what you can do. Every answer that is not a success has this body:

\`\`\`json
{
  "error": {
    "code": "insufficient_balance",
    "message": "The available balance is not sufficient.",
    "detail": { "available": "10", "required": "12.5" },
    "request_id": "0198c0de-0000-7000-8000-000000000000",
    "retryable": false
  }
}
\`\`\`

Use \`code\` in your program: codes are stable, messages may change. \`detail\` and \`fields\` are present only if they have content.
\`fields\` is a list of \`{ path, code, message }\`. \`retryable\` says whether the same request, with the same idempotency key, may succeed
later. \`request_id\` is the answer's \`X-Request-Id\`. A 429 repeats \`detail\` at the top of the body, with \`retry_after_seconds\` and
\`limit_per_minute\`.

A batch registration of addresses is a success even if single addresses fail. Their codes are in \`results[i].error\`.

| Status | Code | Message | Retryable |
|---|---|---|---|
${errorCodes.map(row).join("\n")}

${errorCodes.map(section).join("\n")}`
