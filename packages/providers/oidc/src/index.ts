/** Sign-in with an OpenID provider. */
export * from "./OidcLogin.ts"
export * from "./OidcOptions.ts"
export * from "./OidcTokens.ts"
