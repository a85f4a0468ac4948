/** Vite puts it into the style sheet of the site. */
declare module '*.css'
