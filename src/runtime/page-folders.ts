/** Build output for browsers; absent where the sources run without a build. */

/** All files of the search page. */
export const searchPageFolder: URL = new URL('../../search-page/', import.meta.url);
/** The documentation: pages, pictures, script, style sheet and search data. */
export const documentationFolder: URL = new URL('../../docs/', import.meta.url);
