/** Stylesheets, which the build takes in. */
declare module "*.css"
