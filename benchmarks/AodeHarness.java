import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import weka.classifiers.bayes.AODE;
import weka.core.Attribute;
import weka.core.FastVector;
import weka.core.Instance;
import weka.core.Instances;

/**
 * Weka's AODE, in process and on command: it stays alive, warm, and takes its turn among the others.
 *
 * <p>Commands, a line each; the answer is a line, a number of seconds or a word:
 * <pre>
 *   load NAME TRAIN TEST   read two files of codes and build the Instances
 *   fit NAME               seconds of buildClassifier
 *   predict NAME           seconds of distributionForInstance on all test rows
 *   proba NAME FILE        write the probabilities of the test rows, doubles of the machine's order
 *   forget NAME            let the Instances and the model go
 * </pre>
 * The seconds are System.nanoTime's around the calls only. A file of codes holds little-endian integers (rows,
 * features, classes, the states of each feature), then a byte for every code, row by row, then one for every class.
 */
public final class AodeHarness {
    private static final class Problem {
        Instances train;
        Instances test;
        AODE model;
    }

    private final Map<String, Problem> problems = new HashMap<>();
    /** Keeps the compiler from leaving out predictions that nobody reads. */
    private double sink;

    private AodeHarness() {}

    public static void main(String[] arguments) throws Exception {
        // Weka may print; the protocol has the output for itself.
        PrintStream answers = System.out;
        System.setOut(System.err);
        AodeHarness harness = new AodeHarness();
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            answers.println(harness.obey(line.split("\t")));
            answers.flush();
        }
    }

    private String obey(String[] words) throws Exception {
        String name = words[1];
        switch (words[0]) {
            case "load":
                Problem problem = new Problem();
                problem.train = read(words[2]);
                problem.test = read(words[3]);
                problems.put(name, problem);
                return "ready";
            case "fit":
                return Double.toString(fit(problems.get(name)));
            case "predict":
                return Double.toString(predict(problems.get(name)));
            case "proba":
                write(problems.get(name), Path.of(words[2]));
                return "written";
            case "forget":
                problems.remove(name);
                System.gc();
                return "forgotten";
            default:
                throw new IllegalArgumentException("unknown command " + words[0]);
        }
    }

    private static double fit(Problem problem) throws Exception {
        AODE model = new AODE();
        long start = System.nanoTime();
        model.buildClassifier(problem.train);
        double seconds = (System.nanoTime() - start) * 1e-9;
        problem.model = model;
        return seconds;
    }

    private double predict(Problem problem) throws Exception {
        int rows = problem.test.numInstances();
        long start = System.nanoTime();
        for (int r = 0; r < rows; r++) {
            sink += problem.model.distributionForInstance(problem.test.instance(r))[0];
        }
        return (System.nanoTime() - start) * 1e-9;
    }

    private static void write(Problem problem, Path file) throws Exception {
        int rows = problem.test.numInstances();
        ByteBuffer buffer = ByteBuffer.allocate(rows * problem.test.numClasses() * Double.BYTES);
        buffer.order(ByteOrder.nativeOrder());
        for (int r = 0; r < rows; r++) {
            for (double probability : problem.model.distributionForInstance(problem.test.instance(r))) {
                buffer.putDouble(probability);
            }
        }
        Files.write(file, buffer.array());
    }

    private static Instances read(String file) throws Exception {
        ByteBuffer buffer = ByteBuffer.wrap(Files.readAllBytes(Path.of(file))).order(ByteOrder.LITTLE_ENDIAN);
        int rows = buffer.getInt();
        int features = buffer.getInt();
        int classes = buffer.getInt();
        FastVector attributes = new FastVector();
        for (int j = 0; j < features; j++) {
            attributes.addElement(new Attribute("a" + j, labels(buffer.getInt())));
        }
        attributes.addElement(new Attribute("class", labels(classes)));
        int codes = buffer.position();
        int firstClass = codes + rows * features;
        Instances instances = new Instances("codes", attributes, rows);
        instances.setClassIndex(features);
        for (int r = 0; r < rows; r++) {
            double[] values = new double[features + 1];
            for (int j = 0; j < features; j++) {
                values[j] = buffer.get(codes + r * features + j) & 0xff;
            }
            values[features] = buffer.get(firstClass + r) & 0xff;
            instances.add(new Instance(1.0, values));
        }
        return instances;
    }

    private static FastVector labels(int n) {
        FastVector labels = new FastVector();
        for (int code = 0; code < n; code++) {
            labels.addElement(Integer.toString(code));
        }
        return labels;
    }
}
