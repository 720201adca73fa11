"""Times of tantivy: reads {"texts": [...], "tasks": [{"shape", "queries"}], "rounds": n, "k": n} as JSON from
standard input and writes for each task the median and mean microseconds of its queries, the best round of each,
and how many rows they found. A query is built before its time begins; stop words and stems are those of tantivy's English analyser."""

import json
import statistics
import sys
import time

import tantivy

work = json.load(sys.stdin)
analyser = (
    tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    .filter(tantivy.Filter.lowercase())
    .filter(tantivy.Filter.stopword("english"))
    .filter(tantivy.Filter.stemmer("english"))
    .build()
)
schema = tantivy.SchemaBuilder().add_text_field("body", tokenizer_name="english", index_option="position").build()
index = tantivy.Index(schema)
index.register_tokenizer("english", analyser)
writer = index.writer(500_000_000, 1)
for text in work["texts"]:
    writer.add_document(tantivy.Document(body=text))
writer.commit()
writer.wait_merging_threads()
index.reload()
searcher = index.searcher()


def query_of(shape, text):
    words = analyser.analyze(text)
    if shape == "phrase":
        return tantivy.Query.phrase_query(schema, "body", words) if len(words) > 1 else term(words[0])
    occur = tantivy.Occur.Must if shape == "all" else tantivy.Occur.Should
    return tantivy.Query.boolean_query([(occur, term(word)) for word in words])


def term(word):
    return tantivy.Query.term_query(schema, "body", word, "freq")


answers = []
for task in work["tasks"]:
    queries = [query_of(task["shape"], text) for text in task["queries"]]
    best = [float("inf")] * len(queries)
    found = 0
    for turn in range(work["rounds"]):
        for place, query in enumerate(queries):
            began = time.perf_counter()
            hits = searcher.search(query, work["k"], count=False).hits
            best[place] = min(best[place], (time.perf_counter() - began) * 1e6)
            found += len(hits)
    answers.append({"p50": statistics.median(best), "mean": statistics.fmean(best), "found": found // work["rounds"]})
json.dump({"segments": searcher.num_segments, "tasks": answers}, sys.stdout)
