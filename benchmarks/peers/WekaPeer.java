import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import weka.classifiers.Classifier;
import weka.core.Attribute;
import weka.core.FastVector;
import weka.core.Instance;
import weka.core.Instances;
import weka.filters.supervised.attribute.Discretize;

/**
 * Weka's answers, on command: a line each, the answer a line as well.
 *
 * <pre>
 *   cuts IN OUT               the MDL cuts of every column
 *   proba CLASS TRAIN TEST OUT  the probabilities of the test rows by the classifier of that name
 * </pre>
 * A table holds little-endian integers (rows, features, classes, the states of each feature, 0 for numbers), then the
 * doubles of every row: its features and its class. Results are little-endian doubles; before the cuts of a column,
 * their number.
 */
public final class WekaPeer {
    private WekaPeer() {}

    public static void main(String[] arguments) throws Exception {
        // Weka may print; the answers have the output for themselves.
        PrintStream answers = System.out;
        System.setOut(System.err);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split("\t");
            if (words[0].equals("cuts")) {
                writeCuts(read(words[1]), Path.of(words[2]));
            } else {
                Classifier classifier = Classifier.forName(words[1], new String[0]);
                writeProbabilities(classifier, read(words[2]), read(words[3]), Path.of(words[4]));
            }
            answers.println("written");
            answers.flush();
        }
    }

    private static void writeCuts(Instances table, Path file) throws Exception {
        Discretize filter = new Discretize();
        filter.setInputFormat(table);
        for (int r = 0; r < table.numInstances(); r++) {
            filter.input(table.instance(r));
        }
        filter.batchFinished();
        int features = table.numAttributes() - 1;
        int n = features;
        for (int j = 0; j < features; j++) {
            n += filter.getCutPoints(j) == null ? 0 : filter.getCutPoints(j).length;
        }
        ByteBuffer buffer = ByteBuffer.allocate(n * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int j = 0; j < features; j++) {
            double[] cuts = filter.getCutPoints(j) == null ? new double[0] : filter.getCutPoints(j);
            buffer.putDouble(cuts.length);
            for (double cut : cuts) {
                buffer.putDouble(cut);
            }
        }
        Files.write(file, buffer.array());
    }

    private static void writeProbabilities(Classifier classifier, Instances train, Instances test, Path file)
            throws Exception {
        classifier.buildClassifier(train);
        int n = test.numInstances() * test.numClasses();
        ByteBuffer buffer = ByteBuffer.allocate(n * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int r = 0; r < test.numInstances(); r++) {
            for (double probability : classifier.distributionForInstance(test.instance(r))) {
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
            int states = buffer.getInt();
            attributes.addElement(states == 0 ? new Attribute("a" + j) : new Attribute("a" + j, labels(states)));
        }
        attributes.addElement(new Attribute("class", labels(classes)));
        Instances instances = new Instances("table", attributes, rows);
        instances.setClassIndex(features);
        for (int r = 0; r < rows; r++) {
            double[] values = new double[features + 1];
            for (int j = 0; j <= features; j++) {
                // NaN is what Weka itself takes for a missing value.
                values[j] = buffer.getDouble();
            }
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
